// What host, streams and copy engines of one GPU do, with the names that a view needs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "input.h"
#include "options.h"
#include "result.h"

namespace kerncast::app {

struct ApplicationTimeline {
  struct Launch {
    std::string kernel;
    double alone_us = 0; // where nothing shares the GPU with it
  };
  struct Copy {
    timeline::CopyKind kind = timeline::CopyKind::h2d;
    std::uint64_t bytes = 0;
    std::uint8_t to_device = 0; // of a peer copy
  };
  std::string gpu;
  std::string app;
  std::vector<Launch> launches;    // distinct ones
  std::vector<Copy> copies;        // by the timeline's items; of what copies nothing: none
  std::vector<std::string> graphs; // names
  std::uint32_t devices = 1;
  std::uint32_t copy_engines = 0;
  std::shared_ptr<const timeline::Timeline> timeline; // with spans
};

// Spans recorded at most: some 15 MB of JSON.
inline constexpr std::size_t max_application_spans = 100'000;

ApplicationTimeline application_timeline(const PredictInput& input, const configs::Gpu& gpu,
                                         const Prediction& prediction,
                                         const std::vector<double>& kernel_times_us);

// What the options ask for: an application in which several things happen has a timeline of its own.
TimelineOf timeline_of(const PredictOptions& options, const PredictInput& input, bool on_cluster);

} // namespace kerncast::app
