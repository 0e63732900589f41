// How many low bits of a register are zero on every launch: what the alignment of an address is known from.
//
// Follows integer arithmetic through all writers of a register, loops included. Variables in shared and local
// memory begin at multiples of 16 bytes: ptxas 13.0 places them so, dynamic shared memory as well, whatever
// their declared alignment (seen in accesses that it made one, docs/lowering.md).
#pragma once

#include <vector>

#include "known_values.h"
#include "program.h"

namespace kerncast::lowering {

class Alignments {
public:
  Alignments(const Program& program, const KnownValues& known);

  // Zero bits of what a register holds, 31 at most.
  std::uint32_t of(ptx::RegisterId r) const { return zero_bits_[r]; }
  static std::uint32_t of_variable();

private:
  std::vector<std::uint8_t> zero_bits_; // by value
};

} // namespace kerncast::lowering
