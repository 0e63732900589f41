// Fills the constant slots of a lane file: once per launch, per CTA and per warp.
#pragma once

#include <vector>

#include "warp/lane_file.h"
#include "warp/launch_parameters.h"
#include "warp/program.h"

namespace kerncast::warp {

class ConstantFiller {
public:
  ConstantFiller(const Program& program, const tasklist::Launch& launch, const ParameterImage& parameters);

  void fill_launch(LaneFile& file) const;
  void fill_cta(LaneFile& file, tasklist::Dim3 cta) const;
  void fill_warp(LaneFile& file, std::uint32_t warp) const;

private:
  void fill_parameter(LaneFile& file, const ConstantSlot& constant) const;

  const Program& program_;
  const tasklist::Launch& launch_;
  const ParameterImage& parameters_;
  const tasklist::Dim3 cluster_;
  std::vector<ConstantSlot> per_launch_, per_cta_, per_warp_; // special registers, by how often they change
};

} // namespace kerncast::warp
