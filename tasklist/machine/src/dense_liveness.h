// Liveness of registers that live in much of the code: 256 at a time, one bit each, in sweeps over all
// blocks until nothing changes.
#pragma once

#include <algorithm>

#include "live_blocks.h"

namespace kerncast::machine {

// Adds the runs of `registers` to `result`.
void find_dense_liveness(Draft& draft, const tasklist::ControlFlow& flow, OccurrenceTable& table,
                         std::span<const VirtualRegister> registers, LiveBlocks& result);

// Takes reads that no write reaches out of the draft; is_defined(block) says whether the register may enter a
// block with a value. True if that changes where the register lives.
template <class IsDefined>
bool drop_undefined_reads(Draft& draft, VirtualRegister r, std::span<Occurrence> occurrences,
                          IsDefined is_defined) {
  bool has_changed = false;
  for_each_block(occurrences, [&](std::span<Occurrence> in_block) {
    bool defined = is_defined(in_block.front().block);
    for (Occurrence& o : in_block) {
      if (o.is_write()) {
        has_changed |= o.keeps && !defined;
        o.keeps = o.keeps && defined;
        defined = true;
      } else if (!defined && !o.dropped) {
        o.dropped = has_changed = true;
        DraftOp& op = draft.ops[o.position / 2];
        const auto begin = draft.pool.begin() + op.reads.begin;
        op.reads.count = static_cast<std::uint32_t>(std::remove(begin, begin + op.reads.count, r) - begin);
      }
    }
  });
  return has_changed;
}

} // namespace kerncast::machine
