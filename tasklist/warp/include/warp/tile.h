// Which rows of a tensor a bulk tensor copy moves: those of the box that its map describes, at the copy's
// coordinates.
#pragma once

#include <array>

#include "tasklist/tensor_map.h"
#include "warp/tensor_copy_op.h"

namespace kerncast::warp {

using TileCoordinates = std::array<std::int64_t, TensorCopy::most_coordinates>;
using PixelOffsets = std::array<std::int64_t, TensorCopy::most_offsets>;

class Tile {
public:
  // `map` outlives it; `has_four_rows`: as TensorCopy says; `offsets`: of a map of pixels (im2col).
  Tile(const tasklist::TensorMap& map, bool has_four_rows, const TileCoordinates& at,
       const PixelOffsets& offsets = {});

  std::uint32_t rows() const { return rows_; }
  std::uint32_t row_bytes() const { return map_.box[0] * map_.element_bytes(); }
  std::uint64_t bytes() const { return std::uint64_t{rows_} * row_bytes(); }

  // Of a row: the bytes [begin, end) of it are in the tensor, the first of them at `address`.
  struct Row {
    std::uint64_t address = 0;
    std::uint32_t begin = 0, end = 0;
  };
  Row row(std::uint32_t number) const;

private:
  // `rest`: the row's number, divided by the box's extents of the dimensions before.
  std::int64_t coordinate(std::uint32_t d, std::uint32_t rest) const;
  // Of a row: coordinates behind the first.
  TileCoordinates places_of(std::uint32_t number) const;
  TileCoordinates pixel(std::uint32_t number) const;

  const tasklist::TensorMap& map_;
  bool has_four_rows_;
  TileCoordinates at_;
  PixelOffsets offsets_;
  std::uint32_t rows_ = 1;
};

} // namespace kerncast::warp
