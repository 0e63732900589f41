#include "warp/tile.h"

#include <algorithm>

namespace kerncast::warp {
namespace {

constexpr std::uint32_t four_rows = 4;

} // namespace

Tile::Tile(const tasklist::TensorMap& map, bool has_four_rows, const TileCoordinates& at)
    : map_(map), has_four_rows_(has_four_rows), at_(at), rows_(has_four_rows ? four_rows : 1) {
  for (std::uint32_t d = 1; d < map.rank() && !has_four_rows_; ++d)
    rows_ *= map.box_elements(d);
}

Tile::Row Tile::row(std::uint32_t number) const {
  const std::int64_t begin = std::clamp<std::int64_t>(-at_[0], 0, map_.box[0]);
  const std::int64_t end =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(map_.dims[0]) - at_[0], begin, map_.box[0]);
  Row row{map_.address, static_cast<std::uint32_t>(begin) * map_.element_bytes(),
          static_cast<std::uint32_t>(end) * map_.element_bytes()};
  row.address += static_cast<std::uint64_t>(at_[0] + begin) * map_.element_bytes();
  for (std::uint32_t d = 1; d < map_.rank(); ++d) {
    const std::int64_t place = coordinate(d, number);
    if (place < 0 || static_cast<std::uint64_t>(place) >= map_.dims[d])
      row.end = row.begin;
    row.address += static_cast<std::uint64_t>(place) * map_.strides[d - 1];
    number /= map_.box_elements(d);
  }
  return row;
}

std::int64_t Tile::coordinate(std::uint32_t d, std::uint32_t rest) const {
  return has_four_rows_ ? at_[1 + rest]
                        : at_[d] + std::int64_t{rest % map_.box_elements(d)} * map_.element_strides[d];
}

} // namespace kerncast::warp
