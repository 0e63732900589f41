// Accesses that ptxas makes one: loads from, or stores to, neighbouring places of shared or local memory.
//
// ptxas 13.0 for sm_75, sm_80 and sm_90, of kernels made for the question: within a block, however far apart,
// elements of 2, 4 or 8 bytes that a vector of four or two elements (16 bytes at most) holds, if its
// alignment is known. Of a vector of four, loads need three; stores need all. Never: accesses under a guard,
// volatile ones, loads of several widths, loads across a store to the same memory or a barrier, stores across
// a load.
#pragma once

#include <vector>

#include "alignments.h"

namespace kerncast::lowering {

struct JoinedAccess {
  std::uint32_t at = 0;    // the op whose place and base it takes
  std::int64_t offset = 0; // from that base, bytes
  std::uint8_t element_bytes = 0;
  std::vector<std::uint32_t> ops = {};     // all of them, `at` among them
  std::vector<ptx::Operand> elements = {}; // two or four; a sink where nobody loads
};

// In the order of the text of `at`. `program` has its blocks.
std::vector<JoinedAccess> find_side_by_side(const Program& program, const ValueFacts& facts,
                                            const KnownValues& known);

} // namespace kerncast::lowering
