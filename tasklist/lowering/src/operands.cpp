#include "operands.h"

#include <algorithm>
#include <array>

#include "operations.h"
#include "param_cells.h"
#include "value_classes.h"

namespace kerncast::lowering {

namespace {

using ptx::OperandKind;

tasklist::ValueClass class_of_vector(ptx::Type type, std::uint32_t vector_length) {
  return type == ptx::Type::pred ? tasklist::ValueClass::predicate
                                 : class_of_bytes(ptx::size_bytes(type) * vector_length);
}

// Of one register of each type.
constexpr std::size_t type_count = static_cast<std::size_t>(ptx::Type::surfref) + 1;
std::array<tasklist::ValueClass, type_count> classes_of_types() {
  std::array<tasklist::ValueClass, type_count> classes{};
  for (std::size_t type = 0; type < type_count; ++type) {
    classes[type] = class_of_vector(static_cast<ptx::Type>(type), 1);
  }
  return classes;
}

tasklist::ValueClass class_of(const ptx::Register& reg) {
  static const auto classes = classes_of_types();
  return reg.vector_length == 1 ? classes[static_cast<std::size_t>(reg.type)]
                                : class_of_vector(reg.type, reg.vector_length);
}

class OperandReader {
public:
  explicit OperandReader(const ptx::Function& function)
      : function_(function), operations_(program_), carry_(static_cast<ValueId>(function.registers.size())),
        cells_(function, carry_ + 1) {
    program_.function = &function;
    program_.ops.reserve(function.instructions.size());
    program_.definitions.reserve(function.instructions.size() + function.instructions.size() / 4);
    program_.uses.reserve(function.operand_pool.size());
    program_.value_classes.reserve(function.registers.size() + 1 + cells_.value_classes().size());
    program_.value_classes.resize(function.registers.size());
    std::ranges::transform(function.registers, program_.value_classes.begin(), class_of);
    program_.value_classes.push_back(tasklist::ValueClass::predicate);
    program_.value_classes.insert(program_.value_classes.end(), cells_.value_classes().begin(),
                                  cells_.value_classes().end());
  }

  Program run() {
    for (const ptx::Instruction& instruction : function_.instructions) {
      read(instruction);
      ++op_;
    }
    return std::move(program_);
  }

private:
  void read(const ptx::Instruction& instruction) {
    Op op;
    has_numbers_ = false;
    op.operation = operations_.find(instruction);
    const auto& traits = program_.traits[op.operation];
    op.access_bytes = traits.access_bytes;
    op.definitions.begin = definitions_end_;
    op.uses.begin = uses_end_;
    if (traits.space == tasklist::Space::param && cells_.accesses(instruction)) {
      read_cells(instruction);
    } else {
      read_all(instruction, traits, program_.shape_of(op));
    }
    if (instruction.guard != ptx::no_id) {
      use(instruction.guard, Role::guard);
      use_definitions_again(op);
    }
    definitions_end_ = static_cast<std::uint32_t>(program_.definitions.size());
    uses_end_ = static_cast<std::uint32_t>(program_.uses.size());
    op.definitions.count = definitions_end_ - op.definitions.begin;
    op.uses.count = uses_end_ - op.uses.begin;
    if (op.access_bytes == 0 && tasklist::is_memory(traits.kind)) {
      op.access_bytes = bytes_from_operands(instruction);
    }
    op.has_numbers = has_numbers_;
    program_.ops.push_back(op);
  }

  void define(ValueId value) { program_.definitions.push_back(value); }
  void use(ValueId value, Role role) { program_.uses.push_back({value, op_, role}); }
  void use_definitions_again(const Op& op) {
    for (std::size_t i = op.definitions.begin; i < program_.definitions.size(); ++i) {
      use(program_.definitions[i], Role::previous);
    }
  }

  void read_all(const ptx::Instruction& instruction, const tasklist::OperationTraits& traits,
                const OperationShape& shape) {
    const auto operands = function_.operands(instruction);
    const std::size_t results = shape.has_two_results ? 2 : traits.has_result ? 1 : 0;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (i < results) {
        define_operand(operands[i]);
      } else {
        use_operand(operands[i]);
      }
    }
    if (shape.reads_carry) {
      use(carry_, Role::operand);
    }
    if (shape.writes_carry) {
      define(carry_);
    }
    if (shape.reads_result && !operands.empty()) {
      use_operand(operands[0]);
    }
  }

  void define_operand(const ptx::Operand& operand) {
    if (operand.kind == OperandKind::reg) {
      define(operand.id);
      if (!operand.name.empty()) { // one part of the register: the rest keeps its value
        use(operand.id, Role::previous);
      }
    } else if (operand.has_elements) {
      for (const ptx::Operand& element : function_.elements(operand)) {
        define_operand(element);
      }
    }
  }

  void use_operand(const ptx::Operand& operand) {
    if (operand.kind == OperandKind::reg) {
      use(operand.id, Role::operand);
    } else {
      use_other(operand);
    }
  }

  // Depth is bounded by the grammar: address coordinates and vectors hold plain operands.
  void use_other(const ptx::Operand& operand) {
    if (operand.kind == OperandKind::address && operand.name.empty() && operand.id != ptx::no_id) {
      use(operand.id, Role::address);
    }
    has_numbers_ |= operand.kind == OperandKind::integer || operand.kind == OperandKind::real;
    if (operand.has_elements) {
      for (const ptx::Operand& element : function_.elements(operand)) {
        use_operand(element);
      }
    }
  }

  void read_cells(const ptx::Instruction& instruction) {
    const bool is_load = instruction.opcode == ptx::Opcode::ld;
    const ptx::Operand& data = function_.operands(instruction)[is_load ? 0 : 1];
    const auto elements = function_.parts(data);
    for (std::uint32_t i = 0; i < elements.size(); ++i) {
      const ParamCells::Piece piece = cells_.piece(instruction, i);
      if (is_load) {
        define_operand(elements[i]);
        use(piece.value, Role::operand);
        continue;
      }
      use_operand(elements[i]);
      define(piece.value);
      if (!piece.whole) {
        use(piece.value, Role::previous);
      }
    }
  }

  // Asynchronous copies state their size behind the one or two addresses that they begin with; matrix loads
  // and stores by fragment registers.
  std::uint16_t bytes_from_operands(const ptx::Instruction& instruction) const {
    constexpr std::uint16_t register_bytes = 4;
    constexpr std::ptrdiff_t most_addresses = 2;
    const auto operands = function_.operands(instruction);
    std::uint64_t bytes = 0;
    for (const ptx::Operand& operand : operands) {
      if (operand.kind == OperandKind::vector) {
        bytes = std::max<std::uint64_t>(bytes, std::uint64_t{operand.elements().count} * register_bytes);
      }
    }
    if (instruction.opcode == ptx::Opcode::cp || instruction.opcode == ptx::Opcode::multimem) {
      const auto size = std::ranges::find_if(
          operands, [](const ptx::Operand& operand) { return operand.kind != OperandKind::address; });
      if (size != operands.end() && size - operands.begin() <= most_addresses &&
          size->kind == OperandKind::integer) {
        bytes = static_cast<std::uint64_t>(size->value);
      }
    }
    return static_cast<std::uint16_t>(std::min<std::uint64_t>(bytes, UINT16_MAX));
  }

  Program program_;
  const ptx::Function& function_;
  Operations operations_;
  std::uint32_t op_ = 0;                             // the one of the instruction at hand
  bool has_numbers_ = false;                         // among its operands
  std::uint32_t definitions_end_ = 0, uses_end_ = 0; // of the instructions before
  ValueId carry_;
  ParamCells cells_;
};

} // namespace

Program read_operands(const ptx::Function& function) { return OperandReader(function).run(); }

} // namespace kerncast::lowering
