// Decoded bulk copies of tiles, which a tensor map describes, and changes of tensor maps (PTX ISA, sections
// 9.7.9.27, tensor copies, and 9.7.9.28, tensormap.replace).
//
// Left out: im2col::w and im2col::w::128.
#pragma once

#include "tasklist/tensor_map.h"
#include "warp/mbarrier_op.h"

namespace kerncast::warp {

struct TensorCopy {
  enum class Kind : std::uint8_t { load, store, reduce }; // to and from shared memory
  static constexpr std::uint32_t most_coordinates = tasklist::TensorMap::most_dimensions;

  Kind kind = Kind::load;
  AddressOf map;
  std::uint8_t dimensions = 1;
  bool has_four_rows = false; // gather4, scatter4: behind the first coordinate one for each of four rows
  std::array<SlotId, most_coordinates> coordinates{};
  tasklist::TensorMode mode = tasklist::TensorMode::tiled; // that the map must have
  static constexpr std::uint32_t most_offsets = tasklist::TensorMap::most_pixel_dimensions;
  std::array<SlotId, most_offsets> offsets{}; // im2col: of the pixels, 16 bits; Pool::none: none
  std::uint32_t coordinate_count() const { return has_four_rows ? most_coordinates : dimensions; }
  AddressOf shared;
  BulkSignal signal;
  Atomic function = Atomic::add; // reduce
};

// tensormap.replace: one field of the map gets a value.
struct TensorMapChange {
  enum class Field : std::uint8_t {
    global_address,
    rank,
    box_dim,
    global_dim,
    global_stride,
    element_stride,
    elemtype,
    interleave_layout,
    swizzle_mode,
    swizzle_atomicity,
    fill_mode,
  };
  AddressOf map;
  Field field{};
  std::uint8_t ordinal = 0; // which dimension, or stride
  SlotId value;

  // False for an ordinal that the field does not have.
  static bool apply(Field field, std::uint32_t ordinal, std::uint64_t value, tasklist::TensorMap& map);
};

} // namespace kerncast::warp
