// A machine program before its values have slots: what the passes of annotate() work on.
//
// Registers are virtual here: the tasklist's values, then the temporaries between the machine operations of
// one task. Nothing in a draft is public.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/program.h"
#include "tasklist/tasklist.h"

namespace kerncast::machine {

using VirtualRegister = std::uint32_t;
inline constexpr std::uint32_t bytes_per_register = 4;

// Passes go through all operations again and again: 128 bytes, two lines of a cache.
struct DraftOp {
  MachineOp op;                 // sources and destinations still empty
  tasklist::Range reads;        // in Draft::pool
  tasklist::Range writes;       // in Draft::pool
  std::int64_t moved_bytes = 0; // memory, of a group of trips: from where the first trip accesses
  std::uint16_t loaded_ahead =
      0;                 // registers that are taken here if the target leaves them (Selection::loaded_ahead)
  std::uint8_t trip = 0; // of a group of trips
  std::uint8_t scratch = 0; // registers that it works in beside those it reads and writes
  bool knows_moved = false; // moved_bytes are known
  bool guarded = false;     // a write may leave the old value in place
  bool extra = false;       // of no PTX operation (block_extras.h)
  bool calls = false;       // of the call of a function, before the function's own operations
  bool free_copy = false;   // from a row without machine operations; coalescing removes it where it can
  bool is_move = false;     // of a register; which pipe it takes: list_scheduler.h
  bool is_choice = false;   // one of several moves under guards, to or from an array's elements
  bool is_in_loop = false;  // of an operation that is a loop around a compare-and-swap
  bool beside_previous =
      false; // of one group with the operation before it: issues after it, waits for nothing
};
static_assert(sizeof(DraftOp) == 128);

// What is there at once wherever it is wanted: it reads no register and takes no longer than a move (other
// than S2R and LDC).
inline bool is_moved_constant(const DraftOp& op) {
  constexpr double longest_move = 10; // cycles
  return op.reads.count == 0 && op.op.latency <= longest_move;
}

// Or an atomic operation: somebody waits for what memory answers.
inline bool is_load(const DraftOp& op) { return op.op.kind == OpKind::memory && returns_data(op.op); }

struct Draft {
  std::vector<DraftOp> ops;
  std::vector<MachineBlock> blocks; // as MachineProgram::blocks
  std::vector<TripGroup> trip_groups;
  std::vector<JoinedBlock> joined_blocks;
  std::vector<VirtualRegister> pool;
  std::vector<std::uint8_t> widths; // by virtual register: 32-bit registers it takes, 0 for a predicate

  std::span<const VirtualRegister> reads(const DraftOp& op) const {
    return std::span(pool).subspan(op.reads.begin, op.reads.count);
  }
  std::span<const VirtualRegister> writes(const DraftOp& op) const {
    return std::span(pool).subspan(op.writes.begin, op.writes.count);
  }
  std::span<const DraftOp> ops_of(const MachineBlock& block) const {
    return std::span(ops).subspan(block.first_op, block.op_count);
  }
  std::uint32_t register_count() const { return static_cast<std::uint32_t>(widths.size()); }
};

} // namespace kerncast::machine
