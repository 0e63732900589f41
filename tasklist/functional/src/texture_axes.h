// From coordinates to the texels that a fetch reads and how much each of them counts (CUDA C++ Programming
// Guide, texture fetching).
//
// Leaves out: the rounding of coordinates in the texture unit, which are exact here, filtering across the
// edges of a cube's faces.
#pragma once

#include <array>

#include "tasklist/image.h"

namespace kerncast::functional {

// Along one dimension: the nearest texel, or the two around the coordinate.
struct Axis {
  static constexpr std::int64_t outside = -1; // the border
  static constexpr std::uint32_t whole = 256; // weights have 8 bits behind the point

  std::array<std::int64_t, 2> texels{};
  std::uint32_t weight = 0; // of the second one
};

struct AxisRules {
  std::uint32_t extent = 1; // texels
  tasklist::Sampler::Address address = tasklist::Sampler::Address::clamp;
  bool filters = false;
};

// `coordinate` counts texels; `offset` is added to it.
Axis axis_of(double coordinate, std::int32_t offset, const AxisRules& rules);

// A face of a cube map, in the order +x, -x, +y, -y, +z, -z, and the coordinates on it, from 0 to 1.
struct CubePlace {
  std::uint32_t face = 0;
  double s = 0, t = 0;
};
CubePlace cube_place(double x, double y, double z);

} // namespace kerncast::functional
