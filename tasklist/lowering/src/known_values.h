// What registers hold on every launch: integers that the text decides, and places in variables.
//
// Integer arithmetic on constants is done as every compiler does it, in the width of its type. Left out:
// floating point, carries, high halves of products, values that differ between the ways to a reader.
#pragma once

#include <vector>

#include "program.h"
#include "value_facts.h"

namespace kerncast::lowering {

struct KnownValue {
  enum class Kind : std::uint8_t {
    unknown,
    number, // bits, sign-extended or zero-extended to 64 as its type says
    place,  // bits: byte offset in the variable `base`
    inside, // somewhere in `base`
  };
  Kind kind = Kind::unknown;
  std::uint64_t bits = 0;
  std::string_view base = {};

  bool has_base() const { return kind == Kind::place || kind == Kind::inside; }
};
using ValueKind = KnownValue::Kind;

class KnownValues {
public:
  KnownValues(const Program& program, const ValueFacts& facts);

  // Of a register that one op writes before all its readers; else unknown.
  const KnownValue& of(ValueId value) const { return known_[of_value_[value]]; }
  // What an op leaves in its one result, whoever else writes it.
  const KnownValue& result_of(std::uint32_t op) const { return known_[of_result_[op]]; }
  KnownValue of_operand(const ptx::Operand& operand) const;
  KnownValue::Kind kind_of_operand(const ptx::Operand& operand) const {
    switch (operand.kind) {
    case ptx::OperandKind::integer:
      return ValueKind::number;
    case ptx::OperandKind::symbol:
      return ValueKind::place;
    case ptx::OperandKind::reg:
      return operand.name.empty() && !operand.negated ? of(operand.id).kind : ValueKind::unknown;
    default:
      return ValueKind::unknown;
    }
  }

private:
  std::vector<std::uint32_t> of_value_, of_result_; // by value, by op: in known_
  std::vector<KnownValue> known_;                   // the first one is unknown
};

} // namespace kerncast::lowering
