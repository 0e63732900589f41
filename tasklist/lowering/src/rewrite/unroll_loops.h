// Complete unrolling: trips behind each other instead of a loop, each with registers of its own, so that
// counters become constants and what they index known places. The copies keep the lines of the loop.
#pragma once

#include <span>
#include <vector>

#include "lowering/inline_calls.h"
#include "program.h"
#include "rewrite/complete_loops.h"

namespace kerncast::lowering {

struct UnrolledKernel {
  InlinedKernel kernel;
  std::vector<std::uint32_t> trips; // instructions, in order: where a trip of an unrolled loop begins
};

// `program` is that of the kernel's function as written, `loops` are in the order of the text, `trips` as
// they are left from loops that were unrolled before.
UnrolledKernel unroll_loops(const InlinedKernel* inlined, const Program& program,
                            std::span<const CompleteLoop> loops, std::span<const std::uint32_t> trips);

} // namespace kerncast::lowering
