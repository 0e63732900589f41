// Lane functions that move, split and forget values whatever their type.
#pragma once

#include "warp/micro_op.h"

namespace kerncast::warp {

LaneFunction copy_function(Pool pool);
// The result becomes unknown.
LaneFunction forget_function(Pool pool);
// d = {low, high} of `bytes` bytes together; MicroOp::immediate is the width of each part in bits.
LaneFunction pack_function(std::uint32_t bytes);
// The half of a `bytes` wide source that begins at bit MicroOp::immediate.
LaneFunction unpack_function(std::uint32_t bytes);

} // namespace kerncast::warp
