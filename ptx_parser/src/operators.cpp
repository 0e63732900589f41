#include "operators.h"

#include <algorithm>
#include <optional>

namespace kerncast::ptx {
namespace {

// Two characters that together are one operator, as bits above the ASCII range.
constexpr int pair_of(char a, char b) { return (a << 8) | b; }

constexpr Operator operators[] = {{pair_of('|', '|'), 1},
                                  {pair_of('&', '&'), 2},
                                  {'|', 3},
                                  {'^', 4},
                                  {'&', 5},
                                  {pair_of('=', '='), 6},
                                  {pair_of('!', '='), 6},
                                  {pair_of('<', '='), 7},
                                  {pair_of('>', '='), 7},
                                  {pair_of('<', '<'), 8},
                                  {pair_of('>', '>'), 8},
                                  {'<', 7},
                                  {'>', 7},
                                  {'+', 9},
                                  {'-', 9},
                                  {'*', 10},
                                  {'/', 10},
                                  {'%', 10}};

// Operators whose bits do not depend on signs.
std::optional<std::uint64_t> bitwise_result(int code, std::uint64_t a, std::uint64_t b) {
  switch (code) {
  case '+':
    return a + b;
  case '-':
    return a - b;
  case '*':
    return a * b;
  case '|':
    return a | b;
  case '^':
    return a ^ b;
  case '&':
    return a & b;
  case pair_of('<', '<'):
    return b > 63 ? 0 : a << b;
  case pair_of('|', '|'):
    return static_cast<std::uint64_t>((a | b) != 0);
  case pair_of('&', '&'):
    return static_cast<std::uint64_t>(std::min(a, b) != 0);
  case pair_of('=', '='):
    return static_cast<std::uint64_t>(a == b);
  case pair_of('!', '='):
    return static_cast<std::uint64_t>(a != b);
  default:
    return std::nullopt;
  }
}

// Comparisons; T is signed or unsigned.
template <class T> std::optional<std::uint64_t> comparison_result(int code, T a, T b) {
  switch (code) {
  case '<':
    return static_cast<std::uint64_t>(a < b);
  case '>':
    return static_cast<std::uint64_t>(a > b);
  case pair_of('<', '='):
    return static_cast<std::uint64_t>(a <= b);
  case pair_of('>', '='):
    return static_cast<std::uint64_t>(a >= b);
  default:
    return std::nullopt;
  }
}

// '/' and '%' of a nonzero divisor. The quotient INT64_MIN / -1 wraps like every other overflow.
std::uint64_t division_result(int code, std::uint64_t a, std::uint64_t b, bool is_unsigned) {
  const bool is_quotient = code == '/';
  if (is_unsigned)
    return is_quotient ? a / b : a % b;
  const auto sa = static_cast<std::int64_t>(a);
  const auto sb = static_cast<std::int64_t>(b);
  if (sb == -1)
    return is_quotient ? ~a + 1 : 0;
  return static_cast<std::uint64_t>(is_quotient ? sa / sb : sa % sb);
}

std::uint64_t shifted_right(const Constant& a, std::uint64_t by) {
  if (a.is_unsigned())
    return by > 63 ? 0 : static_cast<std::uint64_t>(a.value) >> by;
  return static_cast<std::uint64_t>(a.value >> std::min<std::uint64_t>(by, 63));
}

} // namespace

Operator operator_at(const State& s) {
  if (s.now.text.empty())
    return {};
  const char first = s.now.text[0];
  const char second = s.now.text.data()[1];
  for (const Operator& o : operators)
    if ((o.is_pair() && o.code == pair_of(first, second)) || (o.code == first && s.now.is(first)))
      return s.now.is(first) ? o : Operator{};
  return {};
}

bool integer_result(int code, const Constant& a, const Constant& b, Constant& out) {
  const auto ua = static_cast<std::uint64_t>(a.value);
  const auto ub = static_cast<std::uint64_t>(b.value);
  const bool is_unsigned = a.is_unsigned() || b.is_unsigned();
  const bool divides = code == '/' || code == '%';
  if (divides && ub == 0)
    return false;
  std::optional<std::uint64_t> result = bitwise_result(code, ua, ub);
  if (!result)
    result = is_unsigned ? comparison_result(code, ua, ub) : comparison_result(code, a.value, b.value);
  if (!result)
    result = divides ? division_result(code, ua, ub, is_unsigned) : shifted_right(a, ub);
  out.kind = is_unsigned ? Constant::Kind::unsigned_integer : Constant::Kind::signed_integer;
  out.value = static_cast<std::int64_t>(*result);
  return true;
}

bool real_result(int code, const Constant& a, const Constant& b, Constant& out) {
  out.kind = Constant::Kind::real;
  switch (code) {
  case '+':
    out.real = a.real + b.real;
    return true;
  case '-':
    out.real = a.real - b.real;
    return true;
  case '*':
    out.real = a.real * b.real;
    return true;
  case '/':
    out.real = a.real / b.real;
    return true;
  default:
    return false;
  }
}

} // namespace kerncast::ptx
