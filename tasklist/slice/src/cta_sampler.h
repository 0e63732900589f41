// Executes single CTAs of a grid, each at most once.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "grid_box.h"
#include "translation.h"
#include "warp_executor.h"
#include "warp_names.h"

namespace kerncast::slice {

struct CtaSample {
  Position at{};
  std::vector<std::uint32_t> warp_paths;
  std::uint32_t signature = 0;      // of all warps, independent of position
  std::vector<std::uint8_t> phases; // of all warps
};

class CtaSampler {
public:
  CtaSampler(const LaunchContext& context, BehaviourBuilder& builder, Assumptions& assumptions)
      : executor_(context, builder, assumptions), translation_(builder.behaviour()) {}

  Expected<const CtaSample*> sample(Position at);
  // The paths of a CTA with another phase for branches of given probability.
  Expected<std::vector<std::uint32_t>> paths(Position at, std::uint64_t phase);
  std::uint64_t executed() const { return executed_; }
  // Blocks that were visited for that.
  std::uint64_t visits() const { return executor_.visits(); }
  // The executed CTA nearest to a position (sum of distances; the first executed of equally near ones).
  const CtaSample& nearest(Position at) const;

private:
  WarpExecutor executor_;
  Translation translation_;
  std::uint64_t executed_ = 0;
  std::map<Position, std::size_t> numbers_;
  std::vector<std::unique_ptr<CtaSample>> samples_; // in the order executed
};

} // namespace kerncast::slice
