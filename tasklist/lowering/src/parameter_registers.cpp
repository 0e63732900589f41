#include "parameter_registers.h"

#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "function_copy.h"
#include "param_cells.h"

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

// Of a type that bits_of() gives.
ptx::Modifier modifier_of(ptx::Type type) {
  return type == ptx::Type::b16   ? ptx::Modifier::b16
         : type == ptx::Type::b32 ? ptx::Modifier::b32
                                  : ptx::Modifier::b64;
}

class Replacer {
public:
  Replacer(ptx::Function& function, std::deque<std::string>& names)
      : function_(function), names_(names), cells_(function, 0), stays_(cells_.value_classes().size(), false),
        registers_(cells_.value_classes().size(), ptx::no_id) {}

  void run() {
    if (stays_.empty()) {
      return;
    }
    for (const ptx::Instruction& instruction : function_.instructions) {
      cells_.accesses(instruction) ? note_access(instruction) : note_names(instruction);
    }
    for (ptx::Instruction& instruction : function_.instructions) {
      if (cells_.accesses(instruction) && addressed_.count(address_of(instruction).name) == 0 &&
          !stays_[cells_.piece(instruction, 0).value]) {
        replace(instruction);
      }
    }
  }

private:
  static bool is_load(const ptx::Instruction& access) { return access.opcode == ptx::Opcode::ld; }
  const Operand& address_of(const ptx::Instruction& access) const {
    return function_.operands(access)[is_load(access) ? 1 : 0];
  }
  const Operand& data_of(const ptx::Instruction& access) const {
    return function_.operands(access)[is_load(access) ? 0 : 1];
  }

  void note_access(const ptx::Instruction& access) {
    const Operand& data = data_of(access);
    if (data.kind == OperandKind::vector) {
      for (std::uint32_t i = 0; i < data.elements().count; ++i) {
        stays_[cells_.piece(access, i).value] = true;
      }
      return;
    }
    const ParamCells::Piece piece = cells_.piece(access, 0);
    if (!piece.whole || bits_of(piece.bytes) == ptx::Type::none || !is_scalar(data, piece.bytes)) {
      stays_[piece.value] = true;
    }
  }

  bool is_scalar(const Operand& data, std::uint32_t bytes) const {
    if (data.kind == OperandKind::integer) {
      return true;
    }
    return data.kind == OperandKind::reg && data.name.empty() && !data.negated &&
           function_.registers[data.id].vector_length == 1 &&
           ptx::size_bytes(function_.registers[data.id].type) == bytes;
  }

  // A variable whose name is no access may be accessed through its address.
  void note_names(const ptx::Instruction& instruction) {
    for (const Operand& operand : function_.operands(instruction)) {
      note_name(operand);
      for (const Operand& element : function_.elements(operand)) {
        note_name(element);
      }
    }
  }
  void note_name(const Operand& operand) {
    if (!operand.name.empty()) {
      addressed_.insert(operand.name);
    }
  }

  void replace(ptx::Instruction& access) {
    const Operand data = data_of(access);
    const Operand cell = register_of(cells_.piece(access, 0), access.place);
    const ptx::Type type = function_.registers[cell.id].type;
    const bool loads = is_load(access);
    access.opcode = ptx::Opcode::mov;
    access.operands = {static_cast<std::uint32_t>(function_.operand_pool.size()), 2};
    function_.operand_pool.push_back(loads ? data : cell);
    function_.operand_pool.push_back(loads ? cell : data);
    access.modifiers = {static_cast<std::uint32_t>(function_.modifier_pool.size()), 1};
    function_.modifier_pool.push_back(modifier_of(type));
  }

  Operand register_of(const ParamCells::Piece& piece, Place place) {
    ptx::RegisterId& id = registers_[piece.value];
    if (id == ptx::no_id) {
      id = static_cast<ptx::RegisterId>(function_.registers.size());
      function_.registers.push_back(
          {names_.emplace_back(fmt::format("{}{}", made_register, id)), bits_of(piece.bytes), 1, place});
    }
    Operand operand;
    operand.kind = OperandKind::reg;
    operand.id = id;
    operand.place = place;
    return operand;
  }

  ptx::Function& function_;
  std::deque<std::string>& names_;
  ParamCells cells_;
  std::vector<bool> stays_;                // by cell
  std::vector<ptx::RegisterId> registers_; // likewise; no_id: none yet
  std::set<std::string_view> addressed_;   // names
};

} // namespace

void put_parameters_in_registers(ptx::Function& function, std::deque<std::string>& names) {
  Replacer(function, names).run();
}

} // namespace kerncast::lowering
