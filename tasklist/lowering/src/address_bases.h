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

// Asked about ops in the order of the text; writes are looked at when first asked about.
class AddressBases {
public:
  AddressBases(const Program& program, const ValueFacts& facts, const KnownValues& known)
      : program_(program), facts_(facts), known_(known), root_of_(program.value_classes.size(), no_id),
        written_(program.value_classes.size(), 0) {}

  // Of the op's address, and bytes from there. Sums, differences, products and shifts
  // of one register and constants, one of which may be a variable's place, are followed to that register.
  std::pair<AddressBase, std::int64_t> of(const ptx::Operand& address, std::uint32_t op);
  // Behind the last op in front of `op` that writes the value; 0: none does.
  std::uint32_t written_before(std::uint32_t op, ValueId value) {
    for (; noted_ < op; ++noted_)
      for (const ValueId written : program_.definitions_of(program_.ops[noted_]))
        written_[written] = noted_ + 1;
    return written_[value];
  }

private:
  // What a register is: base + place.
  struct Root {
    AddressBase base;
    std::uint64_t place = 0;
  };
  const Root& root_of(ptx::RegisterId r);

  const Program& program_;
  const ValueFacts& facts_;
  const KnownValues& known_;
  std::vector<std::uint32_t> root_of_; // by value: in roots_; no_id: not asked for
  std::vector<Root> roots_;
  std::vector<std::uint32_t> written_; // by value, of the ops in front of noted_
  std::uint32_t noted_ = 0;
};

} // namespace kerncast::lowering
