// Values that lie in odd registers where there are registers to spare.
//
// What an access reads beside a pair of registers, the data beside an address of 64 bits or the address
// beside data of 64 bits, lies in an odd one in code of ptxas 13.0 (for sm_75, sm_80 and sm_90 alike; a
// pair's first register is even, so that the two begin in different banks, which may be why). Even ones
// between stay empty: N elements that are loaded from shared memory and stored to N rows of global memory
// take 4 N + 4 registers, two for a row's address and every other one for its element, as long as full
// occupancy leaves so many. So do results of computations, elements of 8 and 16 bits and the data of
// reductions; not constants that are stored in 8 or 16 bits, and neither data nor addresses of shared memory
// where both have 32 bits. Left out: factors of a product that is added to a pair (IMAD.WIDE), of which one
// is odd, too.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "draft.h"

namespace kerncast::machine {

// By virtual register. `widths` are those of value_widths().
std::vector<bool> find_odd_registers(const Draft& draft, std::span<const std::uint8_t> widths);

} // namespace kerncast::machine
