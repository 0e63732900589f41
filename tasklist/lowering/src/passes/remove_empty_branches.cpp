// Branches that lead nowhere else: those to what follows anyway, and blocks of nothing but an unconditional
// branch that only branches come to, which could go on to its target themselves. The blocks stay, without
// tasks.
#include <algorithm>

#include "passes/passes.h"

namespace kerncast::lowering {

namespace {

using tasklist::Block;
using tasklist::BlockId;
using tasklist::TaskKind;

class BranchRemover {
public:
  explicit BranchRemover(Program& program)
      : program_(program), goes_on_(program.blocks.size(), false), target_(program.blocks.size(), no_id) {}

  void run() {
    const auto count = static_cast<BlockId>(program_.blocks.size());
    for (BlockId b = 1; b < count; ++b) {
      goes_on_[b] = ends_in_branch(b) && live_ops(program_.blocks[b]) == 1 && !is_fallen_into(b);
    }
    for (BlockId b = 1; b < count; ++b) {
      if (target_of(b) != b && goes_on_[b]) {
        program_.ops[last_op(b)].dead = true;
      }
    }
    remove_branches_to_what_follows();
  }

private:
  std::uint32_t last_op(BlockId b) const {
    return program_.blocks[b].first_instruction + program_.blocks[b].instruction_count - 1;
  }

  bool always_leaves(BlockId b) const {
    if (program_.blocks[b].instruction_count == 0 || program_.instruction(last_op(b)).guard != ptx::no_id) {
      return false;
    }
    const TaskKind kind = program_.traits_of(program_.ops[last_op(b)]).kind;
    return kind == TaskKind::branch || kind == TaskKind::exit;
  }

  // In one that is unconditional.
  bool ends_in_branch(BlockId b) const {
    return always_leaves(b) && program_.blocks[b].successors.size() == 1 && !program_.ops[last_op(b)].dead &&
           program_.instruction(last_op(b)).opcode == ptx::Opcode::bra;
  }

  std::uint32_t live_ops(const Block& block) const {
    const auto ops = std::span(program_.ops).subspan(block.first_instruction, block.instruction_count);
    return static_cast<std::uint32_t>(std::ranges::count(ops, false, &Op::dead));
  }

  bool is_fallen_into(BlockId b) const { return !always_leaves(b - 1); }

  // Where a branch to the block ends up. A circle is none that goes on anywhere.
  BlockId target_of(BlockId b) {
    chain_.clear();
    BlockId end = b;
    while (goes_on_[end] && target_[end] == no_id && chain_.size() < program_.blocks.size()) {
      chain_.push_back(end);
      end = program_.blocks[end].successors.front();
    }
    if (goes_on_[end] && target_[end] == no_id) {
      for (const BlockId link : chain_) {
        goes_on_[link] = false;
      }
      return b;
    }
    end = goes_on_[end] ? target_[end] : end;
    for (const BlockId link : chain_) {
      target_[link] = end;
    }
    return end;
  }

  void remove_branches_to_what_follows() {
    BlockId next = static_cast<BlockId>(program_.blocks.size()); // the first block behind that has ops
    for (BlockId b = next; b-- > 0;) {
      if (ends_in_branch(b)) {
        const BlockId target = target_of(program_.blocks[b].successors.front());
        if (target > b && target <= next) {
          program_.ops[last_op(b)].dead = true;
        }
      }
      if (live_ops(program_.blocks[b]) != 0) {
        next = b;
      }
    }
  }

  Program& program_;
  std::vector<bool> goes_on_;   // by block: it only branches on
  std::vector<BlockId> target_; // by block: where it goes on in the end, where that is known
  std::vector<BlockId> chain_;
};

} // namespace

void remove_empty_branches(Program& program) {
  const auto is_branch = [](const tasklist::OperationTraits& t) { return t.kind == TaskKind::branch; };
  if (std::ranges::any_of(program.traits, is_branch)) {
    BranchRemover(program).run();
  }
}

} // namespace kerncast::lowering
