// Which addresses differ by a number of bytes that the text tells.
#pragma once

#include <compare>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "known_values.h"
#include "program.h"
#include "support/mix_bits.h"
#include "value_facts.h"

namespace kerncast::lowering {

// Addresses with one base differ by a number of bytes: variable + scale r, modulo 2 to the width of r.
struct AddressBase {
  std::string_view variable = {}; // empty: none
  ptx::RegisterId r = ptx::no_id; // no_id: none
  std::uint32_t version = 0;      // since that write of it: behind an op, or 0
  std::uint64_t scale = 1;
  auto operator<=>(const AddressBase&) const = default;
};

inline std::uint64_t hash_of(const AddressBase& base) {
  const std::uint64_t of_register = mix_bits(std::uint64_t{base.r} << 32 | base.version) + base.scale;
  return base.variable.empty() ? of_register
                               : mix_bits(of_register + std::hash<std::string_view>{}(base.variable));
}

// The ops must be noted in the order of the text.
class AddressBases {
public:
  AddressBases(const Program& program, const ValueFacts& facts, const KnownValues& known)
      : program_(program), facts_(facts), known_(known), written_(program.value_classes.size(), 0) {}

  // Of the address of the op that is noted next, and bytes from there. Sums, differences, products and shifts
  // of one register and constants, one of which may be a variable's place, are followed to that register.
  std::pair<AddressBase, std::int64_t> of(const ptx::Operand& address) const;
  void note(std::uint32_t op) {
    for (const ValueId value : program_.definitions_of(program_.ops[op]))
      written_[value] = op + 1;
  }
  // Behind the last noted op that writes the value; 0: none does.
  std::uint32_t written(ValueId value) const { return written_[value]; }

private:
  const Program& program_;
  const ValueFacts& facts_;
  const KnownValues& known_;
  std::vector<std::uint32_t> written_; // by value
};

} // namespace kerncast::lowering
