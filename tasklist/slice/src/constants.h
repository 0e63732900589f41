// Fills the constant slots of a lane file: once per launch, per CTA and per warp.
#pragma once

#include <vector>

#include "launch_context.h"

namespace kerncast::slice {

class ConstantFiller {
public:
  explicit ConstantFiller(const LaunchContext& context);

  void fill_launch(LaneFile& file) const;
  void fill_cta(LaneFile& file, tasklist::Dim3 cta) const;
  void fill_warp(LaneFile& file, std::uint32_t warp) const;

private:
  void fill_parameter(LaneFile& file, const ConstantSlot& constant) const;

  const LaunchContext& context_;
  std::vector<ConstantSlot> per_launch_, per_cta_, per_warp_; // special registers, by how often they change
};

} // namespace kerncast::slice
