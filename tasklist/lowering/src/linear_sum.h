// Integer operations as sums of registers times constants.
#pragma once

#include <array>
#include <optional>

#include "known_values.h"
#include "program.h"

namespace kerncast::lowering {

// Modulo 2^64; of 32-bit operations modulo 2^32.
struct LinearSum {
  struct Term {
    ptx::RegisterId r = ptx::no_id;
    std::uint32_t use = 0; // of the operation
    std::uint64_t factor = 0;
    std::uint32_t reads = 0; // of the register by the operation
  };
  std::array<Term, 2> terms; // of different registers
  std::size_t count = 0;
  std::uint64_t constant = 0;
  std::string_view variable; // whose place is added; empty: none
};

// What add, sub, shl, mul.lo and mad.lo compute that are not guarded and whose result is as wide as their
// operands; nothing of anything else, nor of products of two registers or of a variable's place.
std::optional<LinearSum> linear_sum(const Program& program, const KnownValues& known, std::uint32_t op);

} // namespace kerncast::lowering
