#include "warp/tensor_copy_op.h"

namespace kerncast::warp {

bool TensorMapChange::apply(Field field, std::uint32_t ordinal, std::uint64_t value,
                            tasklist::TensorMap& map) {
  const auto byte = static_cast<std::uint8_t>(value);
  const std::uint32_t count = tasklist::TensorMap::most_dimensions - (field == Field::global_stride ? 1 : 0);
  if (ordinal >= count)
    return false;
  switch (field) {
  case Field::global_address:
    map.address = value;
    break;
  case Field::rank:
    map.rank_less_one = byte;
    break;
  case Field::box_dim:
    map.box[ordinal] = static_cast<std::uint16_t>(value);
    break;
  case Field::global_dim:
    map.dims[ordinal] = value;
    break;
  case Field::global_stride:
    map.strides[ordinal] = value;
    break;
  case Field::element_stride:
    map.element_strides[ordinal] = byte;
    break;
  case Field::elemtype:
    map.type = byte;
    break;
  case Field::interleave_layout:
    map.interleave = byte;
    break;
  case Field::swizzle_mode:
    map.swizzle = byte;
    break;
  case Field::swizzle_atomicity:
    map.swizzle_atomicity = byte;
    break;
  case Field::fill_mode:
    map.fill = byte;
    break;
  }
  return true;
}

} // namespace kerncast::warp
