// When registers that an access reads may be written again. Loads and stores read their operands a while
// after they were issued (the scoreboard's read barriers), so that code of ptxas 13.0 prefers other registers
// for what is computed meanwhile: it stores sixteen rows out of sixteen pairs of registers for their
// addresses, where two would do. A result that is read shows that the accesses before it, of shared memory
// and of all others apart, have read their operands, and so does a fence for all; stores outside of shared
// memory count as waiting for long where neither comes.
#pragma once

#include <cstdint>
#include <vector>

#include "draft.h"

namespace kerncast::machine {

// By operation: the first one that may write what it is the last to read without waiting for that; for all
// but accesses the operation itself.
std::vector<std::uint32_t> operand_releases(const Draft& draft);

} // namespace kerncast::machine
