// Removes operations that cost nothing (rows without machine operations: moves, cvta, packing) by letting
// their readers read the registers behind them.
//
// - A copy d := s disappears when d and s can be one register: nowhere is one of them given another value
//   while the other is still needed (Chaitin's test; a copy between the two is no other value).
// - A packing d := {a, b}, with d written nowhere else, disappears when neither a nor b gets another value
//   while d is needed: readers of d then read a and b.
// - d := constant, with d written nowhere else, disappears together with its reads: it is always ready.
// - Everything else stays and is charged as register moves, one per 32-bit register, as the compiler's own
//   remaining moves are (a loop counter's start value, a value kept across the next iteration's).
#pragma once

#include "draft.h"
#include "tasklist/control_flow.h"

namespace kerncast::machine {

void coalesce_copies(Draft& draft, const tasklist::ControlFlow& flow);

} // namespace kerncast::machine
