#include "constants.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "operators.h"

namespace kerncast::ptx {
namespace {

bool bad_literal(State& s, std::string_view why) {
  return s.error_here(fmt::format("{} is not a number: {}", describe(s.now), why),
                      {"write 10, 0xA, 012, 0b1010, 1.5, 0f3FC00000 or 0d3FF8000000000000"});
}

// 0f3F800000 and 0d3FF0000000000000.
bool bit_exact_real(State& s, std::string_view digits, bool is_single, Constant& out) {
  const std::size_t wanted = is_single ? 8 : 16;
  std::uint64_t bits = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  if (digits.size() != wanted || status != std::errc() || end != digits.data() + digits.size())
    return bad_literal(s, fmt::format("{} hexadecimal digits belong here", wanted));
  if (is_single) {
    out.kind = Constant::Kind::single;
    out.single_bits = static_cast<std::uint32_t>(bits);
    out.real = static_cast<double>(std::bit_cast<float>(out.single_bits));
  } else {
    out.kind = Constant::Kind::real;
    out.real = std::bit_cast<double>(bits);
  }
  return true;
}

bool real_literal(State& s, std::string_view text, Constant& out) {
  if (text.size() > 1 && text[0] == '0' && ((text[1] | 0x20) == 'f' || (text[1] | 0x20) == 'd'))
    return bit_exact_real(s, text.substr(2), (text[1] | 0x20) == 'f', out);
  out.kind = Constant::Kind::real;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), out.real);
  // ptxas 13.0 reads subnormal numbers only bit by bit, as 0d0000000000000001.
  if (status == std::errc::result_out_of_range || std::fpclassify(out.real) == FP_SUBNORMAL)
    return bad_literal(s, "it is outside the range of f64");
  if (status != std::errc() || end != text.data() + text.size())
    return bad_literal(s, "digits with a point or an exponent belong here");
  return true;
}

// The base that a literal's beginning tells, which is removed.
int take_base(std::string_view& text) {
  if (text.size() < 2 || text[0] != '0')
    return 10;
  const char second = static_cast<char>(text[1] | 0x20);
  const int base = second == 'x' ? 16 : second == 'b' ? 2 : 8;
  text.remove_prefix(base == 8 ? 1 : 2);
  return base;
}

bool integer_literal(State& s, std::string_view text, Constant& out) {
  const bool suffix = text.size() > 1 && text.back() == 'U';
  if (suffix)
    text.remove_suffix(1);
  const int base = take_base(text);
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (status == std::errc::result_out_of_range)
    return bad_literal(s, "it does not fit 64 bits");
  if (status != std::errc() || end != text.data() + text.size())
    return bad_literal(s, fmt::format("digits of base {} belong here", base));
  out.kind = suffix || value > static_cast<std::uint64_t>(INT64_MAX) ? Constant::Kind::unsigned_integer
                                                                     : Constant::Kind::signed_integer;
  out.value = static_cast<std::int64_t>(value);
  return true;
}

// Deeper nesting is refused: it would be recursion without bound.
constexpr int deepest = 200;

bool parse_ternary(State& s, Constant& out, int depth);

// `(.s64)` and `(.u64)` in front of an operand.
bool parse_cast(State& s, Constant::Kind& kind) {
  if (!s.now.is_directive("s64") && !s.now.is_directive("u64"))
    return s.error_here(fmt::format("expected .s64 or .u64 in a cast, but found {}", describe(s.now)),
                        {"only (.s64) and (.u64) exist"});
  kind = s.now.text == "s64" ? Constant::Kind::signed_integer : Constant::Kind::unsigned_integer;
  s.advance();
  return s.expect(')', "the type of a cast");
}

bool apply_unary(State& s, char op, Constant& out) {
  if (!out.is_integer()) {
    if (op == '-') {
      out.real = -out.real;
      out.single_bits ^= 0x80000000U;
    }
    return op == '-' || op == '+' ||
           s.error_here(fmt::format("'{}' needs an integer", op),
                        {"write integers on both sides, or work out the value and write that"});
  }
  const auto bits = static_cast<std::uint64_t>(out.value);
  if (op == '-')
    out.value = static_cast<std::int64_t>(~bits + 1);
  else if (op == '~')
    out.value = static_cast<std::int64_t>(~bits);
  else if (op == '!')
    out.value = bits == 0 ? 1 : 0;
  return true;
}

bool parse_unary(State& s, Constant& out, int depth) {
  if (depth > deepest)
    return s.error_here(fmt::format("this constant expression nests deeper than {} levels", deepest),
                        {"split the expression, or write its value"});
  for (const char op : {'-', '+', '~', '!'})
    if (s.accept(op))
      return parse_unary(s, out, depth + 1) && apply_unary(s, op, out);
  if (!s.accept('('))
    return parse_literal(s, out);
  if (s.now.is(TokenKind::dot_word) && (s.now.text == "s64" || s.now.text == "u64")) {
    Constant::Kind kind{};
    if (!parse_cast(s, kind) || !parse_unary(s, out, depth + 1))
      return false;
    out.kind = kind;
    return true;
  }
  return parse_ternary(s, out, depth + 1) && s.expect(')', "a constant expression in parentheses");
}

// out = out `o` right
bool combine(State& s, Operator o, Place at, const Constant& right, Constant& out) {
  if (out.is_integer() != right.is_integer())
    return s.error(at, 1, "a constant expression mixes an integer and a floating-point number",
                   {"write 2.0 instead of 2, or work out the value and write that"});
  if (out.is_integer())
    return integer_result(o.code, out, right, out) ||
           s.error(at, 1, "division by zero in a constant expression", {"write another divisor"});
  return real_result(o.code, out, right, out) ||
         s.error(at, 1, "this operator needs integers",
                 {"write integers on both sides, or work out the value and write that"});
}

// Precedence climbing from `lowest` upwards.
bool parse_binary(State& s, Constant& out, int lowest, int depth) {
  if (!parse_unary(s, out, depth))
    return false;
  for (Operator o = operator_at(s); o.precedence >= lowest && o.precedence > 0; o = operator_at(s)) {
    const Token at = s.now;
    s.advance();
    if (o.is_pair())
      s.advance();
    Constant right;
    if (!parse_binary(s, right, o.precedence + 1, depth + 1))
      return false;
    if (!combine(s, o, at.place, right, out))
      return false;
  }
  return true;
}

bool parse_ternary(State& s, Constant& out, int depth) {
  if (!parse_binary(s, out, 1, depth))
    return false;
  if (!s.accept('?'))
    return true;
  const bool first = out.is_integer() ? out.value != 0 : out.real != 0;
  Constant a;
  Constant b;
  if (!parse_ternary(s, a, depth + 1) || !s.expect(':', "the second part of '?'") ||
      !parse_ternary(s, b, depth + 1))
    return false;
  out = first ? a : b;
  return true;
}

} // namespace

bool begins_constant(const Token& t) {
  return t.is(TokenKind::integer) || t.is(TokenKind::real) || t.is('-') || t.is('+') || t.is('~') ||
         t.is('!') || t.is('(') || (t.is(TokenKind::dot_word) && t.text[0] >= '0' && t.text[0] <= '9') ||
         (t.is(TokenKind::word) && t.text == "WARP_SZ");
}

bool parse_literal(State& s, Constant& out) {
  bool good = false;
  if (s.now.is(TokenKind::integer))
    good = integer_literal(s, s.now.text, out);
  else if (s.now.is(TokenKind::real))
    good = real_literal(s, s.now.text, out);
  else if (s.now.is(TokenKind::dot_word)) // .5
    good = real_literal(s, {s.now.text.data() - 1, s.now.text.size() + 1}, out);
  else if (s.now.is(TokenKind::word) && s.now.text == "WARP_SZ") {
    out = {Constant::Kind::signed_integer, 32, 0, 0};
    good = true;
  } else
    return s.error_here(fmt::format("expected a number, but found {}", describe(s.now)),
                        {"write a constant such as 4, 0x10 or 1.5"});
  if (good)
    s.advance();
  return good;
}

bool parse_constant(State& s, Constant& out) {
  const bool is_number = s.now.is(TokenKind::integer) || s.now.is(TokenKind::real);
  const char next = s.now.text.data()[s.now.text.size()];
  // A literal alone, nearly every constant.
  if (is_number && (next == ';' || next == ',' || next == ']' || next == '}'))
    return parse_literal(s, out);
  return parse_ternary(s, out, 0);
}

bool parse_unsigned(State& s, std::string_view what, std::uint64_t max, std::uint64_t& out) {
  const Token at = s.now;
  Constant c;
  if (!parse_constant(s, c))
    return false;
  out = static_cast<std::uint64_t>(c.value);
  const bool negative = !c.is_unsigned() && c.value < 0;
  if (!c.is_integer() || negative || out > max)
    return s.error(
        at.place, length_of(at), fmt::format("{} must be a whole number from 0 to {}", what, max),
        {fmt::format("write a number without sign and point, such as {}", std::min<std::uint64_t>(max, 16))});
  return true;
}

} // namespace kerncast::ptx
