// Binary operators of constant expressions (PTX ISA, section 4.5.4): which there are, and what they yield.
#pragma once

#include "constants.h"

namespace kerncast::ptx {

struct Operator {
  int code = 0;       // a character, or two as pair_of makes them
  int precedence = 0; // as in C; 0: no operator
  bool is_pair() const { return code > 0xFF; }
};

// The operator at hand; those of two characters are two adjacent tokens.
Operator operator_at(const State& state);

// out = a `code` b of integers. False for a division by zero.
bool integer_result(int code, const Constant& a, const Constant& b, Constant& out);
// The same of floating-point numbers. False for operators that need integers.
bool real_result(int code, const Constant& a, const Constant& b, Constant& out);

} // namespace kerncast::ptx
