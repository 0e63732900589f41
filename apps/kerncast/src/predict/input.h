// What is to be predicted, whatever kind of file it came from: kernels, their distinct launches, and the
// events of the application that launches them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "application/application.h"
#include "functional/grid_trace.h"
#include "kernels.h"
#include "memory_model/request.h"
#include "slice/known_contents.h"
#include "tasklist/behaviour.h"
#include "tasklist/launch.h"
#include "timeline/timeline.h"

namespace kerncast::app {

struct LaunchJob {
  std::uint32_t kernel = 0; // index into PredictInput::kernels
  tasklist::Launch launch;
  std::optional<memory_model::HitRates> hit_rates;
  std::uint64_t launches = 1;
  Place place; // in PredictInput::source; line 0: stated by options
  // Recorded in functional execution; null: to be found by slice execution.
  std::shared_ptr<const tasklist::LaunchBehaviour> behaviour;
  std::shared_ptr<const functional::GridTrace> trace; // beside `behaviour`; null: too long to be kept
  std::vector<std::string> assumptions;               // why it was not recorded
  // Of the buffers that decide what it does, if nothing writes them: for slice execution.
  std::shared_ptr<const slice::KnownContents> contents;
};

// Of which PredictInput::launches are a sample (launch_sample.h).
struct AllLaunches {
  std::vector<LaunchJob> launches;
  std::vector<std::size_t> sample; // their numbers in `launches`, ascending
};

// What the host copies to a module's variable.
struct VariableContents {
  const ptx::Module* module = nullptr; // of PredictInput::kernels
  application::Buffer contents;        // its name: the variable's; its path as it can be opened
};

struct PredictInput {
  std::string name;
  SourceText source; // application file, for messages about launches
  std::vector<KernelCode> kernels;
  std::vector<LaunchJob> launches;
  std::optional<AllLaunches> sampled_from;  // none: `launches` are all
  std::vector<timeline::Event> events;      // of an application of one GPU
  timeline::RankProgram program;            // of one of several ranks
  std::vector<application::Buffer> buffers; // paths as they can be opened
  std::vector<VariableContents> variables;
  std::vector<tasklist::Image> textures;
  std::optional<std::uint64_t> malloc_heap_bytes; // else the default
  std::vector<application::BufferFill> fills;
  std::vector<std::string> graphs; // names
  std::uint32_t devices = 1;
};

// Reads the modules and looks up the kernels of an application. Every error of all modules and launches.
Expected<PredictInput> resolve_application(application::Application app, std::size_t error_limit,
                                           std::size_t threads = 0, const lowering::LowerOptions& lower = {});

// One kernel, launched `repeat` times in a row.
PredictInput one_kernel(KernelCode kernel, tasklist::Launch launch, std::uint64_t repeat,
                        std::vector<application::Buffer> buffers = {});

// A launch's arguments against what its kernel takes and loads.
Expected<void> check_arguments(const KernelCode& kernel, const tasklist::Launch& launch);

// Errors about a launch that name no line of a file belong to the place that states the launch.
Diagnostics located(const Diagnostics& errors, const SourceText& source, Place place);

} // namespace kerncast::app
