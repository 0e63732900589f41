// How many low bits of a register are zero on every launch: what the alignment of an address is known from.
//
// Follows integer arithmetic through all writers of a register, loops included. Variables in shared and local
// memory, dynamic ones as well, count as aligned to the widest access: ptxas 13.0 moves them to where their
// accesses can be vectors, whatever their declared alignment (docs/lowering.md).
#pragma once

#include <vector>

#include "known_values.h"
#include "program.h"
#include "value_facts.h"

namespace kerncast::lowering {

inline constexpr std::uint32_t widest_access = 16; // of a lane, bytes

class Alignments {
public:
  Alignments(const Program& program, const ValueFacts& facts, const KnownValues& known);

  // Zero bits of what a register holds, 31 at most. Found when asked for.
  std::uint32_t of(ptx::RegisterId r);

private:
  std::vector<std::uint32_t> writers_behind(ptx::RegisterId r);
  void settle(std::vector<std::uint32_t> ops);

  const Program& program_;
  const ValueFacts& facts_;
  const KnownValues& known_;
  std::vector<std::uint8_t> zero_bits_; // by value
  std::vector<bool> is_followed_;       // by value: its writers have been settled
};

} // namespace kerncast::lowering
