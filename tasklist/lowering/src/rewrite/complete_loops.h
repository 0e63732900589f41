// Which loops ptxas 13.0 unrolls completely: ones whose number of trips the text tells, all loops within
// them being unrolled, and whose copies stay below a limit that grows with the trips and with those within
// (docs/lowering.md says how that was found).
#pragma once

#include <span>
#include <vector>

#include "ptx_parser/module.h"
#include "tasklist/control_flow.h"
#include "tasklist/tasklist.h"

namespace kerncast::lowering {

struct InstructionRange {
  std::uint32_t first = 0, count = 0;
};

// One stretch of the text, entered at its first instruction, repeated by its last one and left there, too.
struct CompleteLoop {
  std::uint32_t first = 0, last = 0; // instructions
  std::uint32_t trips = 0;           // at most, if it has other exits
  bool has_other_exits = false;
  std::vector<bool> executes_always;     // by instruction from `first` on: once in each trip
  std::vector<tasklist::BlockId> blocks; // likewise
  bool comes_again = false;              // in a loop that stays or is unrolled later
  std::vector<InstructionRange> before; // what each trip of that loop executes in front, as far as looked for
};

// `list` is the lowering of `function`; `target` as for is_unrolled_completely(); `trips` are instructions in
// the order of the text, where trips of unrolled loops begin. In the order of the text.
std::vector<CompleteLoop> find_complete_loops(const ptx::Function& function, const tasklist::Tasklist& list,
                                              const tasklist::ControlFlow& flow, std::uint32_t target,
                                              std::span<const std::uint32_t> trips);

} // namespace kerncast::lowering
