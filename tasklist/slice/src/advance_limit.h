// How many more iterations an observed operation keeps doing the same, from its operands in two successive
// iterations.
#pragma once

#include <cstdint>
#include <span>

#include "warp/micro_op.h"
#include "warp_names.h"

namespace kerncast::slice {

inline constexpr std::uint64_t no_limit = UINT64_MAX;

// `before` and `after` hold 32 values per source of `op`. Zero: cannot be continued.
std::uint64_t advance_limit(const MicroOp& op, LaneMask lanes, std::span<const std::uint64_t> before,
                            std::span<const std::uint64_t> after);

} // namespace kerncast::slice
