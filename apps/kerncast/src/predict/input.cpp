#include "input.h"

#include "slice/execute.h"

namespace kerncast::app {

PredictInput one_kernel(KernelCode kernel, tasklist::Launch launch, std::uint64_t repeat,
                        std::vector<application::Buffer> buffers) {
  PredictInput input;
  input.name = kernel.list.kernel;
  input.kernels.push_back(std::move(kernel));
  input.launches.push_back({0, std::move(launch), std::nullopt, repeat, {}, nullptr, nullptr, {}, nullptr});
  input.buffers = std::move(buffers);
  input.events.emplace_back(timeline::KernelEvent{0, 0, repeat});
  return input;
}

Expected<void> check_arguments(const KernelCode& kernel, const tasklist::Launch& launch) {
  if (auto fits = slice::check_arguments(kernel.list, launch); !fits)
    return fits;
  const ptx::Function* function = kernel.function();
  return function == nullptr ? Expected<void>{}
                             : slice::check_structures(*kernel.module, *function, kernel.list, launch);
}

Diagnostics located(const Diagnostics& errors, const SourceText& source, Place place) {
  Diagnostics out = errors;
  if (place.line == 0)
    return out;
  for (Diagnostic& d : out)
    if (d.file.empty() || d.place.line == 0)
      d = source.diagnose(d.severity, place, 1, d.message, d.notes);
  return out;
}

} // namespace kerncast::app
