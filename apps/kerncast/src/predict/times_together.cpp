#include "times_together.h"

#include <cmath>
#include <set>
#include <variant>

#include "timeline/kernel_parts.h"

namespace kerncast::app {

TimesTogether::Key TimesTogether::key_of(std::span<const timeline::BegunKernel> kernels) const {
  Key key;
  for (const timeline::BegunKernel& kernel : kernels)
    key.emplace_back(kernel.launch, std::llround(kernel.begin * clock_mhz_));
  return key;
}

std::optional<std::vector<double>> TimesTogether::ends_us(const Key& key) const {
  const auto found = ends_us_.find(key);
  return found == ends_us_.end() ? std::nullopt : std::optional(found->second);
}

bool may_overlap(const PredictInput& input, const configs::Gpu& gpu) {
  std::set<std::uint32_t> streams;
  bool is_programmatic = false;
  for (const timeline::Event& event : input.events)
    if (const auto* kernel = std::get_if<timeline::KernelEvent>(&event)) {
      streams.insert(kernel->stream);
      is_programmatic = is_programmatic || kernel->is_programmatic;
    }
  const bool is_cut = is_programmatic && timeline::launches_dependents(gpu);
  return streams.size() > 1 && gpu.resident_grids > 1 && !is_cut && !input.sampled_from;
}

timeline::SimulatedTogether simulated_together(const TimesTogether* times) {
  if (times == nullptr)
    return {};
  return {[times](std::span<const timeline::BegunKernel> kernels) {
            return times->ends_us(times->key_of(kernels));
          },
          most_kernels_together};
}

} // namespace kerncast::app
