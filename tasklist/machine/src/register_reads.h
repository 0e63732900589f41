// How long reading its operands keeps an operation's unit.
//
// The registers of a sub-core lie in Gpu::register_reads_per_cycle banks, each of which reads one register of
// 32 lanes per cycle. Three different ones, as a multiply-add may have, then take two cycles, longer than a
// unit of 32 lanes needs for the operation itself. What the operation before it reads too is kept for it in
// the operand reuse cache, as ptxas asks for where the operation can issue right behind; where it must wait
// for a value another warp may come between. That other registers lie in banks as they are best read is a
// guess. Values of 64 bits count as one.
#pragma once

#include "configs/gpu.h"
#include "draft.h"

namespace kerncast::machine {

// Fills MachineOp::operand_interval. `widths`: value_widths(); uniform values and predicates are not read
// here.
void time_register_reads(Draft& draft, const std::vector<std::uint8_t>& widths, const configs::Gpu& gpu);

} // namespace kerncast::machine
