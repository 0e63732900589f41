// How many low bits of a register are zero on every launch: what the alignment of an address is known from.
//
// Follows integer arithmetic through all writers of a register, loops included. Variables in shared and local
// memory, dynamic ones as well, count as aligned to the widest access: ptxas 13.0 moves them to where their
// accesses can be vectors, whatever their declared alignment (docs/lowering.md).
#pragma once

#include <vector>

#include "known_values.h"
#include "program.h"

namespace kerncast::lowering {

inline constexpr std::uint32_t widest_access = 16; // of a lane, bytes

class Alignments {
public:
  Alignments(const Program& program, const KnownValues& known);

  // Zero bits of what a register holds, 31 at most.
  std::uint32_t of(ptx::RegisterId r) const { return zero_bits_[r]; }

private:
  std::vector<std::uint8_t> zero_bits_; // by value
};

} // namespace kerncast::lowering
