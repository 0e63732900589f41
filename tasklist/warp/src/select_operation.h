// Which lane function executes an instruction, and how its operands are read.
//
// One family per file, each a flat table from opcode and type; what no family knows stays unselected and
// its results are unknown.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>

#include "ptx_parser/module.h"
#include "warp/micro_op.h"

namespace kerncast::warp {

// What an opcode's modifiers say, split once.
struct InstructionForm {
  ptx::Opcode opcode{};
  std::span<const ptx::Modifier> modifiers;
  std::array<ptx::Type, 3> types{}; // in the order written; Type::none past type_count
  std::uint32_t type_count = 0;
  std::uint32_t source_count = 0; // operands behind the first; 0: not known

  bool has(ptx::Modifier m) const;
  ptx::Type type() const { return type_count == 0 ? ptx::Type::none : types[type_count - 1]; }
};

InstructionForm form_of(const ptx::Function& function, const ptx::Instruction& instruction);

// The first row whose name is among the modifiers; null if none is.
template <class Row, std::size_t count>
const Row* row_of(const Row (&rows)[count], const InstructionForm& form) {
  const auto* row =
      std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return form.has(r.name); });
  return row == std::end(rows) ? nullptr : row;
}

struct Selection {
  LaneFunction apply = nullptr;
  AdvanceRule rule = AdvanceRule::constant;
  ptx::Type result = ptx::Type::none;
  std::array<ptx::Type, 4> sources{};
  std::uint8_t source_count = 0;
  std::uint32_t immediate = 0;
  // Not 0: a source more than MicroOp::sources holds, a word, whose slot stands so high in `immediate`.
  std::uint8_t last_source_shift = 0;
  LaneFunction inner = nullptr; // as MicroOp::inner
  bool inexact = false;         // the device may give other last bits: slice execution takes it as unknown
  bool needs_all = false;       // as MicroOp::needs_all
};

// Empty where slice execution does not know the operation.
std::optional<Selection> select_operation(const InstructionForm& form);

// With everything but its operands.
inline MicroOp operation_of(const Selection& selection) {
  MicroOp op;
  op.apply = selection.apply;
  op.inner = selection.inner;
  op.needs_all = selection.needs_all;
  op.rule = selection.rule;
  op.type = selection.sources[0];
  op.immediate = selection.immediate;
  op.source_count = selection.source_count;
  return op;
}

// The families, tried by select_operation.
std::optional<Selection> select_arithmetic(const InstructionForm& form);
std::optional<Selection> select_multiplication(const InstructionForm& form);
std::optional<Selection> select_bits(const InstructionForm& form);
std::optional<Selection> select_bit_field(const InstructionForm& form);
std::optional<Selection> select_comparison(const InstructionForm& form);
std::optional<Selection> select_conversion(const InstructionForm& form);
std::optional<Selection> select_format_conversion(const InstructionForm& form);
std::optional<Selection> select_stochastic_conversion(const InstructionForm& form);
std::optional<Selection> select_float(const InstructionForm& form);
std::optional<Selection> select_half(const InstructionForm& form);
std::optional<Selection> select_dot_product(const InstructionForm& form);
std::optional<Selection> select_cluster(const InstructionForm& form);
std::optional<Selection> select_packed_integers(const InstructionForm& form);
std::optional<Selection> select_float_test(const InstructionForm& form);
std::optional<Selection> select_mixed_precision(const InstructionForm& form);

Pool pool_of(ptx::Type type);

// The predicate of lop3 with .and or .or: sources a, b, c and q; the truth table in MicroOp::immediate, above
// it how its result joins q.
inline constexpr std::uint32_t table_or = 1U << 8;
void truth_of_table(LaneFile& file, const MicroOp& op, std::uint32_t destination);

} // namespace kerncast::warp
