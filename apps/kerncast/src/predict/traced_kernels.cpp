#include "traced_kernels.h"

#include <utility>

namespace kerncast::app {

TracedKernels::TracedKernels(const PredictInput& input) : programs_(input.kernels.size()) {
  for (std::size_t k = 0; k < input.kernels.size(); ++k)
    if (const ptx::Function* function = input.kernels[k].function())
      programs_[k].emplace(*input.kernels[k].module, *function, input.kernels[k].list);
}

std::unique_ptr<tasklist::AccessSource> TracedKernels::source_of(const LaunchJob& job,
                                                                 slice::TraceOptions options) const {
  if (job.trace)
    return functional::source_of(job.trace);
  options.contents = job.contents;
  auto source = slice::trace_grid(*programs_[job.kernel], job.launch, options);
  return source ? std::move(*source) : nullptr;
}

} // namespace kerncast::app
