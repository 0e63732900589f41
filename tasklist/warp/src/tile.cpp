// Boxes row by row; pixels (im2col) along the first of their dimensions, from one corner to the other, then
// along the next (PTX ISA, section 5.5.4, im2col mode).
#include "warp/tile.h"

#include <algorithm>

namespace kerncast::warp {
namespace {

constexpr std::uint32_t four_rows = 4;

bool has_pixels(const tasklist::TensorMap& map) { return map.mode == tasklist::TensorMode::im2col; }

} // namespace

Tile::Tile(const tasklist::TensorMap& map, bool has_four_rows, const TileCoordinates& at,
           const PixelOffsets& offsets)
    : map_(map), has_four_rows_(has_four_rows), at_(at), offsets_(offsets), rows_(has_pixels(map) ? map.box[1]
                                                                                  : has_four_rows ? four_rows
                                                                                                  : 1) {
  for (std::uint32_t d = 1; d < map.rank() && !has_four_rows_ && !has_pixels(map); ++d)
    rows_ *= map.box_elements(d);
}

Tile::Row Tile::row(std::uint32_t number) const {
  const std::int64_t begin = std::clamp<std::int64_t>(-at_[0], 0, map_.box[0]);
  const std::int64_t end =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(map_.dims[0]) - at_[0], begin, map_.box[0]);
  Row row{map_.address, static_cast<std::uint32_t>(begin) * map_.element_bytes(),
          static_cast<std::uint32_t>(end) * map_.element_bytes()};
  row.address += static_cast<std::uint64_t>(at_[0] + begin) * map_.element_bytes();
  const TileCoordinates places = has_pixels(map_) ? pixel(number) : places_of(number);
  for (std::uint32_t d = 1; d < map_.rank(); ++d) {
    if (places[d] < 0 || static_cast<std::uint64_t>(places[d]) >= map_.dims[d])
      row.end = row.begin;
    row.address += static_cast<std::uint64_t>(places[d]) * map_.strides[d - 1];
  }
  return row;
}

TileCoordinates Tile::places_of(std::uint32_t number) const {
  TileCoordinates places{};
  for (std::uint32_t d = 1; d < map_.rank(); ++d) {
    places[d] = coordinate(d, number);
    number /= map_.box_elements(d);
  }
  return places;
}

std::int64_t Tile::coordinate(std::uint32_t d, std::uint32_t rest) const {
  return has_four_rows_ ? at_[1 + rest]
                        : at_[d] + std::int64_t{rest % map_.box_elements(d)} * map_.element_strides[d];
}

// So many steps behind the first one, each as long as the element stride; images follow each other. Where the
// first one lies behind the box's corner, its row has no others.
TileCoordinates Tile::pixel(std::uint32_t number) const {
  TileCoordinates places = at_;
  std::int64_t steps = number;
  for (std::uint32_t d = 1; d <= map_.pixel_dimensions(); ++d) {
    const std::int64_t lower = map_.lower_corner[d - 1], step = map_.element_strides[d];
    const std::int64_t end = static_cast<std::int64_t>(map_.dims[d]) + map_.upper_corner[d - 1];
    const std::int64_t first =
        std::max<std::int64_t>(1, (end - at_[d] + step - 1) / step); // pixels up to the corner
    const std::int64_t others = std::max<std::int64_t>(1, (end - lower + step - 1) / step);
    places[d] = steps < first ? at_[d] + steps * step : lower + (steps - first) % others * step;
    places[d] += offsets_[d - 1];
    steps = steps < first ? 0 : 1 + (steps - first) / others;
  }
  places[map_.rank() - 1] += steps;
  return places;
}

} // namespace kerncast::warp
