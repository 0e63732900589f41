// What control costs a warp beside the operations themselves: predicates that guard an operation are there
// later than results, and a branch keeps its warp from issuing until it knows where to go on.
//
// Both are fixed latencies, which ptxas writes into the instructions before: how many cycles these keep their
// warp from issuing (control bits of 128-bit instructions, sm_75 and later). Latencies that a hand-written
// list states stay as they are.
#pragma once

#include "configs/gpu.h"
#include "draft.h"

namespace kerncast::machine {

// Operations that compute a predicate under which another executes, or by which it branches, take
// Gpu::guard_latency if that is longer. Predicates that are only operands (of SEL, or to combine them) do
// not; of one that is both, both readers wait. `draft`: as emitted, before coalescing.
void delay_guards(Draft& draft, const tasklist::Tasklist& list, const configs::Gpu& gpu);

// The first operation of each block waits, Gpu::branch_latency long, for the branch that the warp comes from.
void wait_for_branches(MachineProgram& program, const tasklist::Tasklist& list, const configs::Gpu& gpu);

// A warp goes on behind an atomic operation that is a loop (MachineOp::trip_cycles) when its last lane has
// left that.
void wait_for_loops(MachineProgram& program);

} // namespace kerncast::machine
