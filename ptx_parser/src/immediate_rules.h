// Values that a constant operand may have, beyond what its type allows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ptx_parser/module.h"

namespace kerncast::ptx {

struct ImmediateRule {
  static constexpr std::int64_t power_of_two = 0; // in place of a multiple
  static constexpr std::int64_t odd = -1;
  Opcode opcode{};
  std::optional<Modifier> with; // the rule holds for instructions that have this modifier
  std::optional<Modifier> without;
  std::uint8_t operand = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t multiple = 1;
  std::optional<Modifier> also_with = std::nullopt; // and this one
};

inline bool has(std::span<const Modifier> modifiers, Modifier wanted) {
  return std::find(modifiers.begin(), modifiers.end(), wanted) != modifiers.end();
}

// The rules of an opcode.
std::span<const ImmediateRule> immediate_rules(Opcode opcode);
// What is wrong with a constant under a rule, empty if it is good: "must be a multiple of 32, but is 33".
std::string broken(const ImmediateRule& rule, std::span<const Modifier> modifiers, const Operand& constant);

// A constant that no rule forbids for an operand.
std::int64_t good_constant(std::span<const ImmediateRule> rules, std::span<const Modifier> modifiers,
                           std::size_t operand);

} // namespace kerncast::ptx
