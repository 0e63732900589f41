// Lane functions that move, split and forget values whatever their type.
#pragma once

#include "warp/micro_op.h"

namespace kerncast::warp {

LaneFunction copy_function(Pool pool);
// The result becomes unknown.
LaneFunction forget_function(Pool pool);
// A clock register, or with `upper` its upper 32 bits, into a slot of the pool.
LaneFunction clock_function(Pool pool, bool upper);
// The rank in its cluster of the CTA whose shared memory an address in a slot of the pool names; source 1 is
// the lane's own.
LaneFunction rank_function(Pool pool);
// A predicate: whether source 0 lies among source 2 addresses from source 1 on.
LaneFunction range_function(Pool pool);
// d = {lowest, ..., highest}: sources of MicroOp::immediate bits each make a value of `bytes` bytes.
LaneFunction pack_function(std::uint32_t bytes);
// A part of a `bytes` wide source: MicroOp::immediate is the bit it begins at, plus 256 times its width.
LaneFunction unpack_function(std::uint32_t bytes);

} // namespace kerncast::warp
