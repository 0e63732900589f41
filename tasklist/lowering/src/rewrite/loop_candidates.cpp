#include "rewrite/loop_candidates.h"

#include <algorithm>

namespace kerncast::lowering {

namespace {

// What find_complete_loops() asks of a loop, as far as the program tells it before it is cleaned up.
class CandidateFinder {
public:
  CandidateFinder(const Program& program, const ProgramFacts& facts)
      : program_(program), function_(*program.function), facts_(facts) {}

  bool may_be_complete(const tasklist::Loop& loop) const {
    const tasklist::Block& latch = program_.blocks[loop.blocks.back()];
    const std::uint32_t end = latch.first_instruction + latch.instruction_count;
    if (latch.instruction_count == 0 || !goes_back(function_.instructions[end - 1], loop)) {
      return false;
    }
    const ptx::RegisterId guard = function_.instructions[end - 1].guard;
    return has_writer(guard, [&](std::uint32_t op) {
      return op >= latch.first_instruction && op + 1 < end &&
             compares_counter(op, guard, latch.first_instruction);
    });
  }

private:
  bool goes_back(const ptx::Instruction& branch, const tasklist::Loop& loop) const {
    const auto target = function_.operands(branch);
    return branch.opcode == ptx::Opcode::bra && branch.guard != ptx::no_id && !branch.guard_negated &&
           target.size() == 1 && target[0].kind == ptx::OperandKind::label &&
           function_.labels[target[0].id].instruction == program_.blocks[loop.header].first_instruction;
  }

  // With a number, behind a step in the block that begins there.
  bool compares_counter(std::uint32_t op, ptx::RegisterId guard, std::uint32_t begin) const {
    if (!writes(op, ptx::Opcode::setp, guard)) {
      return false;
    }
    const auto compared = function_.operands(function_.instructions[op]);
    if (compared.size() != 3 || compared[1].kind != ptx::OperandKind::reg || !may_be_number(compared[2])) {
      return false;
    }
    std::uint32_t step = no_id; // the first one
    facts_.values.for_each_writer(compared[1].id, [&](std::uint32_t writer) {
      if (writer >= begin && writer < op &&
          (writes(writer, ptx::Opcode::add, compared[1].id) ||
           writes(writer, ptx::Opcode::sub, compared[1].id))) {
        step = writer;
      }
    });
    return step != no_id && may_start_at_number(step, compared[1].id);
  }

  // Of a counter that steps in place, as it has several writers and keeps its name; others may be copies.
  bool may_start_at_number(std::uint32_t step, ptx::RegisterId counter) const {
    const auto stepped = function_.operands(function_.instructions[step]);
    if (stepped.size() != 3 || stepped[1].kind != ptx::OperandKind::reg || stepped[1].id != counter ||
        has_call_parameters(program_)) {
      return true;
    }
    return has_writer(counter, [&](std::uint32_t op) {
      return writes(op, ptx::Opcode::mov, counter) &&
             may_be_number(function_.operands(function_.instructions[op]).back());
    });
  }

  template <class F> bool has_writer(ptx::RegisterId r, const F& is_wanted) const {
    bool found = false;
    facts_.values.for_each_writer(r, [&](std::uint32_t op) { found = found || is_wanted(op); });
    return found;
  }

  bool writes(std::uint32_t op, ptx::Opcode opcode, ptx::RegisterId r) const {
    if (program_.shape_of(program_.ops[op]).opcode != opcode) {
      return false;
    }
    const auto operands = function_.operands(function_.instructions[op]);
    return !operands.empty() && operands[0].kind == ptx::OperandKind::reg && operands[0].id == r;
  }

  bool may_be_number(const ptx::Operand& operand) const {
    if (operand.kind != ptx::OperandKind::reg) {
      return operand.kind == ptx::OperandKind::integer;
    }
    const std::uint32_t writer = facts_.values.of(operand.id).writer;
    return writer != no_id &&
           (facts_.known.of(operand.id).kind == ValueKind::number || may_move_number(writer));
  }

  // Copies of numbers are numbers themselves, but for what passes through call parameters.
  bool may_move_number(std::uint32_t op) const {
    return program_.shape_of(program_.ops[op]).moves_constants &&
           (has_call_parameters(program_) ||
            function_.operands(function_.instructions[op]).back().kind == ptx::OperandKind::integer);
  }

  const Program& program_;
  const ptx::Function& function_;
  const ProgramFacts& facts_;
};

} // namespace

bool may_have_complete_loops(const Program& program, const ProgramFacts& facts) {
  const CandidateFinder finder(program, facts);
  std::vector<bool> has_inner(facts.loops.size(), false);
  for (const tasklist::Loop& loop : facts.loops) {
    if (loop.parent != no_id) {
      has_inner[loop.parent] = true;
    }
  }
  for (std::size_t i = 0; i < facts.loops.size(); ++i) {
    if (!has_inner[i] && finder.may_be_complete(facts.loops[i])) {
      return true;
    }
  }
  return false;
}

} // namespace kerncast::lowering
