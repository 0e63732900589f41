// Precedence climbing; the first error ends it.
#include "expression.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>

#include <fmt/format.h>

namespace kerncast::application {
namespace {

using Number = std::int64_t;
using Result = tl::expected<Number, std::string>;

constexpr int max_depth = 64; // of parentheses, signs and calls

tl::unexpected<std::string> wrong(std::string message) { return tl::unexpected(std::move(message)); }

template <class Operation> Result checked(Operation operation, Number a, Number b) {
  Number result = 0;
  if (operation(a, b, &result))
    return wrong("its value is beyond 64 bits");
  return result;
}

// Division does not overflow but for the least number by -1.
Result divide(Number a, Number b, bool exactly, bool rest) {
  if (b == 0)
    return wrong("it divides by zero");
  if (a == std::numeric_limits<Number>::min() && b == -1)
    return wrong("its value is beyond 64 bits");
  if (exactly && a % b != 0)
    return wrong(fmt::format("{} / {} is not whole: // rounds down", a, b));
  const bool rounds = a % b != 0 && (a < 0) != (b < 0);
  const Number down = a / b - (rounds ? 1 : 0);
  return rest ? a - down * b : down;
}

Result add(Number a, Number b) {
  return checked([](Number x, Number y, Number* r) { return __builtin_add_overflow(x, y, r); }, a, b);
}
Result subtract(Number a, Number b) {
  return checked([](Number x, Number y, Number* r) { return __builtin_sub_overflow(x, y, r); }, a, b);
}
Result multiply(Number a, Number b) {
  return checked([](Number x, Number y, Number* r) { return __builtin_mul_overflow(x, y, r); }, a, b);
}

struct Binary {
  std::string_view symbol;
  int precedence;
  Result (*apply)(Number a, Number b);
};
// Longer symbols first where one begins another.
constexpr int of_not = 3;
constexpr int of_sums = 4;
constexpr Binary binaries[] = {
    {"or", 1, [](Number a, Number b) -> Result { return a != 0 || b != 0 ? 1 : 0; }},
    {"and", 2, [](Number a, Number b) -> Result { return a != 0 && b != 0 ? 1 : 0; }},
    {"<=", of_not, [](Number a, Number b) -> Result { return a <= b ? 1 : 0; }},
    {">=", of_not, [](Number a, Number b) -> Result { return a >= b ? 1 : 0; }},
    {"==", of_not, [](Number a, Number b) -> Result { return a == b ? 1 : 0; }},
    {"!=", of_not, [](Number a, Number b) -> Result { return a != b ? 1 : 0; }},
    {"<", of_not, [](Number a, Number b) -> Result { return a < b ? 1 : 0; }},
    {">", of_not, [](Number a, Number b) -> Result { return a > b ? 1 : 0; }},
    {"+", of_sums, add},
    {"-", of_sums, subtract},
    {"*", of_sums + 1, multiply},
    {"//", of_sums + 1, [](Number a, Number b) { return divide(a, b, false, false); }},
    {"/", of_sums + 1, [](Number a, Number b) { return divide(a, b, true, false); }},
    {"%", of_sums + 1, [](Number a, Number b) { return divide(a, b, false, true); }}};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view leading_word(std::string_view text) {
  const auto end =
      std::find_if_not(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

class Evaluator {
public:
  Evaluator(std::string_view text, const ValueOfName& value_of) : rest_(text), value_of_(value_of) {}

  Result run() {
    const Result value = expression(0, 0);
    skip_spaces();
    if (value && !rest_.empty())
      return wrong(fmt::format("'{}' is not understood", rest_));
    return value;
  }

private:
  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

  bool take(std::string_view symbol) {
    skip_spaces();
    const bool is_here =
        is_letter(symbol.front()) ? leading_word(rest_) == symbol : rest_.starts_with(symbol);
    rest_.remove_prefix(is_here ? symbol.size() : 0);
    return is_here;
  }

  const Binary* take_binary(int least) {
    for (const Binary& binary : binaries)
      if (binary.precedence >= least && take(binary.symbol))
        return &binary;
    return nullptr;
  }

  Result expression(int least, int depth) {
    Result value = operand(depth);
    while (value) {
      const Binary* binary = take_binary(least);
      if (binary == nullptr)
        return value;
      const Result right = expression(binary->precedence + 1, depth);
      value = right ? binary->apply(*value, *right) : right;
    }
    return value;
  }

  Result operand(int depth) {
    if (depth > max_depth)
      return wrong("it is nested too deeply");
    if (take("not"))
      return expression(of_not, depth + 1).map([](Number x) { return Number{x == 0 ? 1 : 0}; });
    if (take("-"))
      return operand(depth + 1).and_then([](Number x) { return subtract(0, x); });
    if (take("("))
      return closed(expression(0, depth + 1));
    skip_spaces();
    if (rest_.empty())
      return wrong("it ends where a number or a name must stand");
    return is_digit(rest_.front()) ? number() : name(depth);
  }

  Result closed(Result value) {
    if (value && !take(")"))
      return wrong("a ')' is missing");
    return value;
  }

  Result number() {
    Number value = 0;
    const auto [end, failure] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (failure != std::errc{})
      return wrong("a number is beyond 64 bits");
    return value;
  }

  Result name(int depth) {
    const std::string_view word = leading_word(rest_);
    if (word.empty())
      return wrong(fmt::format("'{}' is not understood", rest_));
    rest_.remove_prefix(word.size());
    if (word == "min" || word == "max")
      return extreme(word == "max", depth);
    if (const std::optional<Number> value = value_of_(word))
      return *value;
    return wrong(fmt::format("nothing is called '{}'", word));
  }

  Result extreme(bool largest, int depth) {
    if (!take("("))
      return wrong("a '(' is missing behind min or max");
    Result value = expression(0, depth + 1);
    while (value && take(",")) {
      const Result next = expression(0, depth + 1);
      if (!next)
        return next;
      value = largest ? std::max(*value, *next) : std::min(*value, *next);
    }
    return closed(value);
  }

  std::string_view rest_;
  const ValueOfName& value_of_;
};

} // namespace

tl::expected<std::int64_t, std::string> evaluate(std::string_view text, const ValueOfName& value_of) {
  return Evaluator(text, value_of).run();
}

void for_each_name(std::string_view text, const std::function<void(std::string_view)>& f) {
  while (!text.empty()) {
    const std::string_view word = leading_word(text);
    if (!word.empty() && is_letter(word.front()))
      f(word);
    text.remove_prefix(std::max<std::size_t>(1, word.size()));
  }
}

} // namespace kerncast::application
