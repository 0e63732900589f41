// Read-modify-write of one value in memory (PTX ISA, section 9.7.13, atom and red).
#pragma once

#include <cstdint>

#include "warp/memory_op.h"

namespace kerncast::functional {

// Applies `function` to the value at `at` (aligned), atomically; `b` and `c` are the operands' bits. The old
// value's bits. Null if the function does not know the type.
using AtomicFunction = std::uint64_t (*)(std::uint8_t* at, std::uint64_t b, std::uint64_t c);
AtomicFunction atomic_function(warp::Atomic function, ptx::Type type);

// Whether the result of several such operations depends on their order.
bool order_matters(const warp::MemoryOp& op);

} // namespace kerncast::functional
