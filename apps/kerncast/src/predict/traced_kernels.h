// Where the addresses of launches come from: those that occurred in functional execution, else those that
// slice execution knows.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "input.h"
#include "slice/grid_accesses.h"
#include "slice/program.h"

namespace kerncast::app {

class TracedKernels {
public:
  // `input` must outlive the object.
  explicit TracedKernels(const PredictInput& input);

  // Whether the launch's kernel has addresses at all.
  bool has_addresses(const LaunchJob& job) const { return programs_[job.kernel].has_value(); }
  // Null for a launch that cannot be traced. `options` but for the contents, which are the launch's; of what
  // occurred nothing is left out.
  std::unique_ptr<tasklist::AccessSource> source_of(const LaunchJob& job, slice::TraceOptions options) const;

private:
  std::vector<std::optional<slice::SliceProgram>> programs_; // by kernel
};

} // namespace kerncast::app
