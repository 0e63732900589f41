#include "param_cells.h"

#include <algorithm>

#include "value_classes.h"

namespace kerncast::lowering {

ParamCells::ParamCells(const ptx::Function& function, ValueId first_value)
    : function_(function), first_value_(first_value) {
  for (std::uint32_t i = 0; i < function.variables.size(); ++i) {
    if (function.variables[i].space == ptx::Space::param) {
      variables_.try_emplace(function.variables[i].name, i);
    }
  }
  if (variables_.empty()) {
    return;
  }
  std::vector<Interval> touched;
  for (const ptx::Instruction& instruction : function.instructions) {
    const Access access = access_of(instruction);
    for (std::uint32_t i = 0; i < access.elements; ++i) {
      const std::int64_t begin = access.offset + std::int64_t{i} * access.element_bytes;
      touched.push_back({access.variable, begin, begin + access.element_bytes});
    }
  }
  std::sort(touched.begin(), touched.end(), [](const Interval& a, const Interval& b) {
    return std::tie(a.variable, a.begin, a.end) < std::tie(b.variable, b.begin, b.end);
  });
  for (const Interval& interval : touched) {
    const bool overlaps =
        !cells_.empty() && cells_.back().variable == interval.variable && interval.begin < cells_.back().end;
    if (overlaps) {
      cells_.back().end = std::max(cells_.back().end, interval.end);
    } else {
      cells_.push_back(interval);
    }
  }
  for (const Interval& cell : cells_) {
    value_classes_.push_back(class_of_bytes(static_cast<std::uint64_t>(cell.end - cell.begin)));
  }
}

ParamCells::Access ParamCells::access_of(const ptx::Instruction& instruction) const {
  Access access;
  const bool is_load = instruction.opcode == ptx::Opcode::ld;
  if (variables_.empty() || (!is_load && instruction.opcode != ptx::Opcode::st)) {
    return access;
  }
  const auto operands = function_.operands(instruction);
  const ptx::Operand& address = operands[is_load ? 1 : 0];
  const ptx::Operand& data = operands[is_load ? 0 : 1];
  if (address.kind != ptx::OperandKind::address || address.name.empty()) {
    return access;
  }
  const auto variable = variables_.find(address.name);
  if (variable == variables_.end()) {
    return access;
  }
  for (const ptx::Modifier modifier : function_.modifiers(instruction)) {
    access.element_bytes = std::max(access.element_bytes, ptx::size_bytes(ptx::type_of(modifier)));
  }
  access.variable = variable->second;
  access.offset = address.value;
  access.elements = data.kind == ptx::OperandKind::vector ? data.elements().count : 1;
  return access;
}

bool ParamCells::accesses(const ptx::Instruction& instruction) const {
  return access_of(instruction).variable != no_id;
}

ParamCells::Piece ParamCells::piece(const ptx::Instruction& instruction, std::uint32_t index) const {
  const Access access = access_of(instruction);
  const std::int64_t begin = access.offset + std::int64_t{index} * access.element_bytes;
  const auto cell = std::partition_point(cells_.begin(), cells_.end(), [&](const Interval& c) {
    return std::tie(c.variable, c.end) <= std::tie(access.variable, begin);
  });
  Piece piece;
  piece.value = first_value_ + static_cast<ValueId>(cell - cells_.begin());
  piece.whole = cell->begin == begin && cell->end == begin + access.element_bytes;
  piece.bytes = static_cast<std::uint32_t>(cell->end - cell->begin);
  return piece;
}

} // namespace kerncast::lowering
