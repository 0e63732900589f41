#include "parameter_registers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace kerncast::lowering {

namespace {

using ptx::Operand;
using ptx::OperandKind;

ptx::Type bits_of(std::uint32_t bytes) {
  switch (bytes) {
  case 2:
    return ptx::Type::b16;
  case 4:
    return ptx::Type::b32;
  case 8:
    return ptx::Type::b64;
  default:
    return ptx::Type::none;
  }
}

struct Access {
  std::int64_t offset = 0;
  std::uint32_t bytes = 0;
};

class Replacer {
public:
  Replacer(ptx::Function& function, std::deque<std::string>& names) : function_(function), names_(names) {
    for (const ptx::Variable& variable : function.variables) {
      if (variable.space == ptx::Space::param) {
        cells_[variable.name];
      }
    }
  }

  void run() {
    if (cells_.empty()) {
      return;
    }
    for (const ptx::Instruction& instruction : function_.instructions) {
      note(instruction);
    }
    for (ptx::Instruction& instruction : function_.instructions) {
      if (const auto access = access_of(instruction)) {
        replace(instruction, *access);
      }
    }
  }

private:
  using Cells = std::map<std::int64_t, std::uint32_t>; // bytes by offset

  // The variable that an operand names, whatever for; null if it names none.
  Cells* cells_named_by(const Operand& operand) {
    const auto found = operand.name.empty() ? cells_.end() : cells_.find(operand.name);
    return found == cells_.end() ? nullptr : &found->second;
  }

  void note(const ptx::Instruction& instruction) {
    const auto access = access_of(instruction);
    for (const Operand& operand : function_.operands(instruction)) {
      note(operand, access);
      for (const Operand& element : function_.elements(operand)) {
        note(element, {});
      }
    }
  }

  void note(const Operand& operand, const std::optional<Access>& access) {
    if (Cells* const cells = cells_named_by(operand);
        cells != nullptr && (!access || !add(*access, *cells))) {
      cells_.erase(operand.name);
    }
  }

  // False if it overlaps others otherwise than as a whole.
  static bool add(const Access& access, Cells& cells) {
    const auto [cell, is_new] = cells.try_emplace(access.offset, access.bytes);
    const auto next = std::next(cell);
    const bool is_apart_from_last =
        cell == cells.begin() || std::prev(cell)->first + std::prev(cell)->second <= access.offset;
    const bool is_apart_from_next = next == cells.end() || access.offset + access.bytes <= next->first;
    return cell->second == access.bytes && (!is_new || (is_apart_from_last && is_apart_from_next));
  }

  // Of a scalar in a variable that is to be replaced.
  std::optional<Access> access_of(const ptx::Instruction& instruction) {
    const bool is_load = instruction.opcode == ptx::Opcode::ld;
    if (!is_load && instruction.opcode != ptx::Opcode::st) {
      return {};
    }
    const auto operands = function_.operands(instruction);
    const Operand& address = operands[is_load ? 1 : 0];
    const Operand& data = operands[is_load ? 0 : 1];
    if (address.kind != OperandKind::address || cells_named_by(address) == nullptr) {
      return {};
    }
    std::uint32_t bytes = 0;
    for (const ptx::Modifier modifier : function_.modifiers(instruction)) {
      bytes = std::max(bytes, ptx::size_bytes(ptx::type_of(modifier)));
    }
    const bool fits = data.kind == OperandKind::reg
                          ? data.name.empty() && !data.negated &&
                                function_.registers[data.id].vector_length == 1 &&
                                ptx::size_bytes(function_.registers[data.id].type) == bytes
                          : !is_load && data.kind == OperandKind::integer;
    if (!fits || bits_of(bytes) == ptx::Type::none) {
      return {};
    }
    return Access{address.offset(), bytes};
  }

  void replace(ptx::Instruction& instruction, const Access& access) {
    const bool is_load = instruction.opcode == ptx::Opcode::ld;
    const auto operands = function_.operands(instruction);
    const Operand address = operands[is_load ? 1 : 0], data = operands[is_load ? 0 : 1];
    const Operand cell = register_of(address, access);
    instruction.opcode = ptx::Opcode::mov;
    instruction.operands = {static_cast<std::uint32_t>(function_.operand_pool.size()), 2};
    function_.operand_pool.push_back(is_load ? data : cell);
    function_.operand_pool.push_back(is_load ? cell : data);
    instruction.modifiers = {static_cast<std::uint32_t>(function_.modifier_pool.size()), 1};
    function_.modifier_pool.push_back(*ptx::find_modifier(ptx::name(bits_of(access.bytes))));
  }

  Operand register_of(const Operand& address, const Access& access) {
    const auto [known, is_new] = registers_.try_emplace(
        std::pair(address.name, access.offset), static_cast<ptx::RegisterId>(function_.registers.size()));
    if (is_new) {
      const std::string& name = names_.emplace_back(fmt::format("%{}+{}", address.name, access.offset));
      function_.registers.push_back({name, bits_of(access.bytes), 1, address.place});
    }
    Operand operand;
    operand.kind = OperandKind::reg;
    operand.id = known->second;
    operand.place = address.place;
    return operand;
  }

  ptx::Function& function_;
  std::deque<std::string>& names_;
  std::unordered_map<std::string_view, Cells> cells_; // by variable that is to be replaced
  std::map<std::pair<std::string_view, std::int64_t>, ptx::RegisterId> registers_;
};

} // namespace

void put_parameters_in_registers(ptx::Function& function, std::deque<std::string>& names) {
  Replacer(function, names).run();
}

} // namespace kerncast::lowering
