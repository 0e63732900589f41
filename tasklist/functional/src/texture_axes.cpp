#include "texture_axes.h"

#include <algorithm>
#include <cmath>

namespace kerncast::functional {
namespace {

using Address = tasklist::Sampler::Address;

std::int64_t texel_at(std::int64_t index, std::int64_t extent, Address address) {
  switch (address) {
  case Address::wrap:
    return (index % extent + extent) % extent;
  case Address::mirror: {
    const std::int64_t period = 2 * extent, place = (index % period + period) % period;
    return place < extent ? place : period - 1 - place;
  }
  case Address::clamp:
    return std::clamp<std::int64_t>(index, 0, extent - 1);
  case Address::border:
    return index < 0 || index >= extent ? Axis::outside : index;
  }
  return Axis::outside;
}

struct FaceRow {
  double s_of[3], t_of[3]; // factors of x, y and z
};
// In the order of the faces.
constexpr FaceRow faces[] = {{{0, 0, -1}, {0, -1, 0}}, {{0, 0, 1}, {0, -1, 0}}, {{1, 0, 0}, {0, 0, 1}},
                             {{1, 0, 0}, {0, 0, -1}},  {{1, 0, 0}, {0, -1, 0}}, {{-1, 0, 0}, {0, -1, 0}}};

} // namespace

Axis axis_of(double coordinate, std::int32_t offset, const AxisRules& rules) {
  const auto extent = static_cast<std::int64_t>(rules.extent);
  const bool repeats = rules.address == Address::wrap || rules.address == Address::mirror;
  // The centre of texel i is at i + 0.5.
  double place = (std::isfinite(coordinate) ? coordinate : 0) + offset - (rules.filters ? 0.5 : 0);
  place = repeats ? std::fmod(place, 2.0 * static_cast<double>(extent))
                  : std::clamp(place, -2.0, static_cast<double>(extent) + 1);
  const double low = std::floor(place);
  const auto index = static_cast<std::int64_t>(low);
  Axis axis;
  axis.texels = {texel_at(index, extent, rules.address), texel_at(index + 1, extent, rules.address)};
  if (rules.filters)
    axis.weight = static_cast<std::uint32_t>(std::floor((place - low) * Axis::whole + 0.5));
  return axis;
}

CubePlace cube_place(double x, double y, double z) {
  const double direction[] = {x, y, z};
  const double size[] = {std::fabs(x), std::fabs(y), std::fabs(z)};
  const std::uint32_t major = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
  CubePlace place;
  place.face = 2 * major + (direction[major] < 0 ? 1 : 0);
  const FaceRow& row = faces[place.face];
  const double m = size[major] > 0 ? size[major] : 1; // the direction without length has no face of its own
  const double s = row.s_of[0] * x + row.s_of[1] * y + row.s_of[2] * z;
  const double t = row.t_of[0] * x + row.t_of[1] * y + row.t_of[2] * z;
  place.s = (s / m + 1) / 2;
  place.t = (t / m + 1) / 2;
  return place;
}

} // namespace kerncast::functional
