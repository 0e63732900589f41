// When kernels that overlap end, as they were simulated on the SMs that they share (--fidelity gpu).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "configs/gpu.h"
#include "input.h"
#include "timeline/sharing.h"

namespace kerncast::app {

// Kernels that overlap are no more than so many, else they share the GPU by their shares.
inline constexpr std::size_t most_kernels_together = 16;
// Of one application on one GPU. Each takes as long as all its kernels alone, or longer.
inline constexpr std::size_t most_simulations_together = 100;

class TimesTogether {
public:
  // Launches, each with the cycle in which the GPU gets it, from the first one on.
  using Key = std::vector<std::pair<std::uint32_t, std::int64_t>>;

  explicit TimesTogether(const configs::Gpu& gpu) : clock_mhz_(gpu.clock_mhz) {}

  Key key_of(std::span<const timeline::BegunKernel> kernels) const;
  // Nothing: not simulated.
  std::optional<std::vector<double>> ends_us(const Key& key) const;
  void add(const Key& key, std::vector<double> ends_us) { ends_us_.emplace(key, std::move(ends_us)); }
  std::size_t simulations() const { return ends_us_.size(); }

private:
  double clock_mhz_;
  std::map<Key, std::vector<double>> ends_us_;
};

// Whether kernels of the application may overlap so on the GPU: it launches some in several streams, all of
// them are predicted, and none starts early in its own stream (that is cut into pieces by its shares).
bool may_overlap(const PredictInput& input, const configs::Gpu& gpu);

// As the timeline asks for it; null: nothing was simulated. `times` must outlive what is returned.
timeline::SimulatedTogether simulated_together(const TimesTogether* times);

} // namespace kerncast::app
