// Sums, differences and products with a carry: add.cc, addc, sub.cc, subc, mad.cc, madc (PTX ISA, section
// 9.7.2, extended-precision integer arithmetic).
//
// The carry flag CC.CF is a predicate register of its own; for differences it is the borrow, as the manual
// says.
#pragma once

#include "select_operation.h"

namespace kerncast::warp {

struct Carry {
  LaneFunction value = nullptr; // sources: a, b, for mad c, and the carry
  LaneFunction carry = nullptr; // the carry out of the same sources
  std::uint8_t operands = 2;    // without the carry
  bool carries_in = false;
  bool carries_out = false;
};

std::optional<Carry> select_carry(const InstructionForm& form);

} // namespace kerncast::warp
