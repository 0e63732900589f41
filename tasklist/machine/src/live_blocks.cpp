// Work lists over blocks; a block is looked at again when bits are new in it.
#include "live_blocks.h"

#include <algorithm>

namespace kerncast::machine {

using tasklist::BlockId;

LiveBlocks::LiveBlocks(std::span<const tasklist::Block> blocks)
    : blocks_(blocks), first_predecessor_(blocks.size() + 1, 0), effects_(blocks.size()), in_(blocks.size()),
      out_(blocks.size()), defined_(blocks.size()), is_queued_(blocks.size(), false) {
  for (const tasklist::Block& block : blocks)
    for (const BlockId s : block.successors)
      ++first_predecessor_[s + 1];
  for (std::size_t b = 1; b < first_predecessor_.size(); ++b)
    first_predecessor_[b] += first_predecessor_[b - 1];
  predecessors_.resize(first_predecessor_.back());
  std::vector<std::uint32_t> next(first_predecessor_.begin(), first_predecessor_.end() - 1);
  for (BlockId b = 0; b < blocks.size(); ++b)
    for (const BlockId s : blocks[b].successors)
      predecessors_[next[s]++] = b;
}

void LiveBlocks::start() { std::ranges::fill(effects_, BlockEffects{}); }

void LiveBlocks::queue(BlockId b) {
  if (is_queued_[b])
    return;
  is_queued_[b] = true;
  queue_.push_back(b);
}

BlockId LiveBlocks::take() {
  const BlockId b = queue_.back();
  queue_.pop_back();
  is_queued_[b] = false;
  return b;
}

void LiveBlocks::solve() {
  std::ranges::fill(out_, 0);
  for (BlockId b = 0; b < blocks_.size(); ++b) {
    in_[b] = effects_[b].reads;
    if (in_[b] != 0)
      queue(b);
  }
  while (!queue_.empty()) {
    const BlockId b = take();
    for (std::uint32_t i = first_predecessor_[b]; i < first_predecessor_[b + 1]; ++i) {
      const BlockId p = predecessors_[i];
      out_[p] |= in_[b];
      const RegisterBits fresh = in_[b] & ~effects_[p].ends & ~in_[p];
      in_[p] |= fresh;
      if (fresh != 0)
        queue(p);
    }
  }
}

const std::vector<RegisterBits>& LiveBlocks::find_defined() {
  std::ranges::fill(defined_, 0);
  const auto enter_successors = [&](BlockId b, RegisterBits with_value) {
    for (const BlockId s : blocks_[b].successors) {
      const RegisterBits fresh = with_value & in_[s] & ~defined_[s];
      defined_[s] |= fresh;
      if (fresh != 0)
        queue(s);
    }
  };
  for (BlockId b = 0; b < blocks_.size(); ++b)
    enter_successors(b, effects_[b].writes);
  while (!queue_.empty()) {
    const BlockId b = take();
    enter_successors(b, defined_[b]);
  }
  return defined_;
}

} // namespace kerncast::machine
