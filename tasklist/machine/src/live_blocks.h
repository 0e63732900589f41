// Where 64 registers live at the ends of blocks, one bit each.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tasklist/tasklist.h"

namespace kerncast::machine {

inline constexpr std::uint32_t registers_per_batch = 64;
using RegisterBits = std::uint64_t;

// What a block does to the registers of a batch.
struct BlockEffects {
  RegisterBits reads = 0;  // before the block ends their old values
  RegisterBits ends = 0;   // old values
  RegisterBits writes = 0; // guarded or not
};

// Solves one batch after the other and keeps its memory.
class LiveBlocks {
public:
  explicit LiveBlocks(std::span<const tasklist::Block> blocks);

  // Effects of the batch at hand, all zero after start().
  void start();
  BlockEffects& effects(tasklist::BlockId b) { return effects_[b]; }

  void solve();
  // Registers live into (out of) a block.
  RegisterBits in(tasklist::BlockId b) const { return in_[b]; }
  RegisterBits out(tasklist::BlockId b) const { return out_[b]; }

  // Of the registers live into a block, those that may come with a value: written on a way to it.
  const std::vector<RegisterBits>& find_defined();

private:
  void queue(tasklist::BlockId b);
  tasklist::BlockId take();

  std::span<const tasklist::Block> blocks_;
  std::vector<std::uint32_t> first_predecessor_;
  std::vector<tasklist::BlockId> predecessors_;
  std::vector<BlockEffects> effects_;
  std::vector<RegisterBits> in_, out_, defined_;
  std::vector<tasklist::BlockId> queue_;
  std::vector<bool> is_queued_;
};

} // namespace kerncast::machine
