// Lowering's working form of one function: an op per PTX instruction, at the same index, with the values it
// writes and reads. Passes redirect or drop uses and mark ops dead; indices never change.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "operation_shape.h"
#include "ptx_parser/module.h"
#include "tasklist/operation.h"
#include "tasklist/tasklist.h"

namespace kerncast::lowering {

using tasklist::no_id;
using tasklist::Range;
using tasklist::ValueId;

enum class Role : std::uint8_t {
  operand,
  address,  // base register of [r+offset]
  guard,    // @p
  previous, // own destination, kept where the guard is false or only a part is written
};

struct Use {
  ValueId value = no_id;        // no_id: dropped
  std::uint32_t reader = no_id; // the op that it is of
  Role role = Role::operand;
  std::uint32_t constant = no_id; // dropped for this constant, index into Program::constants
};

// An operand that no register holds.
struct Constant {
  enum class Kind : std::uint8_t {
    integer,   // bits
    real,      // bits of the double
    parameter, // bits: byte offset among the kernel's parameters
    variable,  // text: variable in constant memory; bits: byte offset in it
    launch,    // text: "ntid.x" and other special registers that the constant bank holds
    symbol,    // text: variable or function
  };
  Kind kind = Kind::integer;
  std::uint64_t bits = 0;
  std::string_view text;
};

struct Op {
  std::uint32_t operation = 0; // in Program::operations
  std::uint16_t access_bytes = 0;
  bool dead = false;
  bool has_numbers = false; // among its operands as written
  Range definitions;        // in Program::definitions
  Range uses;               // in Program::uses
};

// Values are the function's registers by their ids, then the carry flag, then pieces of .param variables
// that pass values to inlined functions.
struct Program {
  const ptx::Function* function = nullptr;
  std::vector<Op> ops;
  std::vector<ValueId> definitions;
  std::vector<Use> uses; // in the order of their readers
  std::vector<tasklist::ValueClass> value_classes;
  std::vector<Constant> constants; // that uses were dropped for
  std::vector<std::string> operations;
  std::vector<tasklist::OperationTraits> traits; // by operation
  std::vector<OperationShape> shapes;            // by operation
  std::vector<tasklist::Block> blocks;           // successors and instruction ranges; no tasks yet
  std::vector<tasklist::BlockId> block_of;       // by op

  std::uint32_t op_count() const { return static_cast<std::uint32_t>(ops.size()); }
  const ptx::Instruction& instruction(std::uint32_t op) const { return function->instructions[op]; }
  const tasklist::OperationTraits& traits_of(const Op& op) const { return traits[op.operation]; }
  const OperationShape& shape_of(const Op& op) const { return shapes[op.operation]; }
  std::span<const ValueId> definitions_of(const Op& op) const {
    return std::span(definitions).subspan(op.definitions.begin, op.definitions.count);
  }
  std::span<Use> uses_of(const Op& op) { return std::span(uses).subspan(op.uses.begin, op.uses.count); }
  std::span<const Use> uses_of(const Op& op) const {
    return std::span(uses).subspan(op.uses.begin, op.uses.count);
  }
};

// The value of the first piece of a call's parameters, which stand behind the carry flag.
inline ValueId first_call_parameter(const Program& program) {
  return static_cast<ValueId>(program.function->registers.size()) + 1;
}
inline bool has_call_parameters(const Program& program) {
  return program.value_classes.size() > first_call_parameter(program);
}

} // namespace kerncast::lowering
