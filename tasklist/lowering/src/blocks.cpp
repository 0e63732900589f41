#include "blocks.h"

#include <algorithm>

namespace kerncast::lowering {

namespace {

using tasklist::BlockId;
using tasklist::TaskKind;

// Task::access numbers memory tasks in 16 bits; longer straight code is cut.
constexpr std::uint32_t longest_block = 32768;

class BlockFinder {
public:
  BlockFinder(Program& program, const SourceText& source)
      : program_(program), function_(*program.function), source_(source),
        count_(static_cast<std::uint32_t>(program.ops.size())) {}

  Expected<void> run() {
    mark_leaders();
    make_blocks();
    name_blocks();
    note_pragmas();
    for (BlockId id = 0; id < program_.blocks.size(); ++id) {
      connect(id);
    }
    if (errors_.empty()) {
      return {};
    }
    return tl::unexpected(std::move(errors_));
  }

private:
  bool transfers(std::uint32_t op) const {
    const TaskKind kind = program_.traits_of(program_.ops[op]).kind;
    return kind == TaskKind::branch || kind == TaskKind::exit;
  }

  // Calls f(label) for each target in the order written.
  template <class F> void for_each_target(std::uint32_t op, F&& f) const {
    for (const ptx::Operand& operand : function_.operands(function_.instructions[op])) {
      if (operand.kind == ptx::OperandKind::label) {
        f(operand.id);
      }
      for (const ptx::Operand& element : function_.elements(operand)) {
        if (element.kind == ptx::OperandKind::label) {
          f(element.id);
        }
      }
    }
  }

  void mark_leaders() {
    mark(0);
    for (std::uint32_t op = 0; op < count_; ++op) {
      if (!transfers(op)) {
        continue;
      }
      mark(op + 1);
      for_each_target(op, [&](ptx::LabelId label) {
        mark(function_.labels[label].instruction);
        end_is_target_ = end_is_target_ || function_.labels[label].instruction == count_;
      });
    }
    std::ranges::sort(leaders_);
    leaders_.erase(std::ranges::unique(leaders_).begin(), leaders_.end());
    // Behind the last instruction there is a block, the function's end, only if control gets there from a
    // branch.
    if (count_ > 0 && !end_is_target_ && !falls_through(count_ - 1)) {
      leaders_.pop_back(); // of a transfer, which marks what is behind it
    }
  }
  void mark(std::uint32_t instruction) { leaders_.push_back(instruction); }

  void make_blocks() {
    program_.block_of.resize(count_);
    program_.blocks.reserve(leaders_.size());
    for (std::size_t i = 0; i < leaders_.size(); ++i) {
      const std::uint32_t end = i + 1 < leaders_.size() ? leaders_[i + 1] : count_;
      std::uint32_t begin = leaders_[i];
      do {
        const std::uint32_t behind = std::min(end, begin + longest_block);
        add_block(begin, behind);
        begin = behind;
      } while (begin < end);
    }
  }

  void add_block(std::uint32_t begin, std::uint32_t end) {
    std::fill(program_.block_of.begin() + begin, program_.block_of.begin() + end,
              static_cast<BlockId>(program_.blocks.size()));
    tasklist::Block& block = program_.blocks.emplace_back();
    block.first_instruction = begin;
    block.instruction_count = end - begin;
    block.line = begin < count_ ? function_.instructions[begin].place.line : 0;
  }

  BlockId block_at(std::uint32_t instruction) const {
    return instruction < count_ ? program_.block_of[instruction]
                                : static_cast<BlockId>(program_.blocks.size() - 1);
  }

  // A pragma stands behind the label of the loop it is for.
  void note_pragmas() {
    for (const ptx::Pragma& pragma : function_.pragmas) {
      if (pragma.text.find("nounroll") != std::string_view::npos && !program_.blocks.empty()) {
        program_.blocks[block_at(pragma.instruction)].no_unroll = true;
      }
    }
  }

  // The first label before a block names it.
  void name_blocks() {
    for (const ptx::Label& label : function_.labels) {
      tasklist::Block& block = program_.blocks[block_at(label.instruction)];
      if (block.first_instruction == label.instruction && block.label.empty()) {
        block.label = label.name;
      }
    }
  }

  bool falls_through(std::uint32_t op) const {
    return !transfers(op) || function_.instructions[op].guard != ptx::no_id;
  }

  void connect(BlockId id) {
    tasklist::Block& block = program_.blocks[id];
    if (block.instruction_count == 0) {
      return;
    }
    const std::uint32_t last = block.first_instruction + block.instruction_count - 1;
    std::size_t targets = 0;
    for_each_target(last, [&](ptx::LabelId) { ++targets; });
    block.successors.reserve(targets + 1);
    for_each_target(last, [&](ptx::LabelId label) {
      block.successors.push_back(block_at(function_.labels[label].instruction));
    });
    if (program_.traits_of(program_.ops[last]).kind == TaskKind::branch && block.successors.empty()) {
      const ptx::Instruction& branch = function_.instructions[last];
      errors_.push_back(source_.error(
          branch.place, static_cast<std::uint32_t>(ptx::name(branch.opcode).size()),
          "this branch names no label", {"branches must name a label or a .branchtargets list"}));
    }
    if (falls_through(last) && id + 1 < program_.blocks.size()) {
      block.successors.push_back(id + 1);
    }
  }

  Program& program_;
  const ptx::Function& function_;
  const SourceText& source_;
  std::uint32_t count_;
  std::vector<std::uint32_t> leaders_; // first instructions of blocks
  bool end_is_target_ = false;
  Diagnostics errors_;
};

} // namespace

Expected<void> find_blocks(Program& program, const SourceText& source) {
  return BlockFinder(program, source).run();
}

} // namespace kerncast::lowering
