// How long reading its operands keeps an operation's unit.
//
// A sub-core reads Gpu::register_reads_per_cycle registers of 32 lanes per cycle. Three different ones, as a
// multiply-add may have, then take longer than a unit of 32 lanes needs for the operation itself. What the
// operation before it reads too is kept for it in the operand reuse cache and not read again; that the
// compiler always asks for that, and that no other warp comes between, is a guess. Values of 64 bits count as
// one.
#pragma once

#include "configs/gpu.h"
#include "draft.h"

namespace kerncast::machine {

// Fills MachineOp::operand_interval. `widths`: value_widths(); uniform values and predicates are not read
// here.
void time_register_reads(Draft& draft, const std::vector<std::uint8_t>& widths, const configs::Gpu& gpu);

} // namespace kerncast::machine
