// Literals and constant expressions (PTX ISA, sections 4.5.1 to 4.5.6). Integers are 64 bits wide, signed
// unless they do not fit or carry the suffix U; floating-point arithmetic is done in f64.
#pragma once

#include <bit>
#include <cstdint>

#include "state.h"

namespace kerncast::ptx {

struct Constant {
  enum class Kind : std::uint8_t {
    signed_integer,
    unsigned_integer,
    real,
    single
  } kind = Kind::signed_integer;
  std::int64_t value = 0; // integers, two's complement
  double real = 0;        // real, and single: a 0f literal, exact in f64 except for NaN payloads
  std::uint32_t single_bits = 0;
  bool is_integer() const { return kind == Kind::signed_integer || kind == Kind::unsigned_integer; }
  bool is_unsigned() const { return kind == Kind::unsigned_integer; }
};

// The token at hand as a literal; advances past it.
bool parse_literal(State& state, Constant& out);
// A constant expression from the token at hand on.
bool parse_constant(State& state, Constant& out);
// A constant expression that must be an integer in 0..max.
bool parse_unsigned(State& state, std::string_view what, std::uint64_t max, std::uint64_t& out);
// Can the token at hand begin a constant expression?
bool begins_constant(const Token& token);

} // namespace kerncast::ptx
