// Precedence climbing into a flat program for a stack, so that evaluating a hundred thousand points neither
// recurses nor allocates more than the stack.
#include "sweep/expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "support/suggest.h"

namespace kerncast::sweep {
namespace {

constexpr std::size_t max_depth = 64; // of parentheses and calls
constexpr std::size_t max_length = 4096;

enum class Type : std::uint8_t { number, condition };

struct Binary {
  std::string_view symbol;
  int precedence;
  Operation operation;
  Type operands;
  Type result;
};
// Longer symbols first where one begins another.
constexpr Binary binaries[] = {{"or", 1, Operation::logical_or, Type::condition, Type::condition},
                               {"and", 2, Operation::logical_and, Type::condition, Type::condition},
                               {"<=", 3, Operation::less_equal, Type::number, Type::condition},
                               {">=", 3, Operation::greater_equal, Type::number, Type::condition},
                               {"==", 3, Operation::equal, Type::number, Type::condition},
                               {"!=", 3, Operation::not_equal, Type::number, Type::condition},
                               {"<", 3, Operation::less, Type::number, Type::condition},
                               {">", 3, Operation::greater, Type::number, Type::condition},
                               {"+", 4, Operation::add, Type::number, Type::number},
                               {"-", 4, Operation::subtract, Type::number, Type::number},
                               {"*", 5, Operation::multiply, Type::number, Type::number},
                               {"/", 5, Operation::divide, Type::number, Type::number}};
constexpr int not_precedence = 3; // "not a < b" is not (a < b)

struct Function {
  std::string_view name;
  Operation operation;
  bool several; // two operands or more
};
constexpr Function functions[] = {{"min", Operation::min, true},      {"max", Operation::max, true},
                                  {"floor", Operation::floor, false}, {"ceil", Operation::ceil, false},
                                  {"abs", Operation::abs, false},     {"sqrt", Operation::sqrt, false}};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_part(char c) { return is_letter(c) || is_digit(c) || c == '.'; }

// One text; the first error ends the reading.
class Parser {
public:
  Parser(const SourceText& source, Place place, std::string_view text)
      : source_(source), place_(place), text_(text) {}

  Expected<Expression> run() {
    if (text_.size() > max_length)
      return fail(source_.error(place_, 1, fmt::format("an expression of {} characters", text_.size()),
                                {fmt::format("at most {} are read; name parts of it", max_length)}));
    const std::optional<Type> type = parse(0);
    skip_blanks();
    if (type && at_ < text_.size())
      fail_at(at_, 1, "expected an operator", "for example: sms * 4.5 + l2.mib <= 400");
    if (!errors_.empty())
      return tl::unexpected(std::move(errors_));
    out_.text = std::string(text_);
    out_.is_condition = *type == Type::condition;
    return std::move(out_);
  }

private:
  // Offsets into the text are columns, since the text stands in one line of the file.
  Place place_of(std::size_t at) const {
    return {place_.line, place_.column + static_cast<std::uint32_t>(at)};
  }
  std::nullopt_t fail_at(std::size_t at, std::size_t length, std::string message, std::string note) {
    if (errors_.empty())
      errors_.push_back(source_.error(place_of(at),
                                      static_cast<std::uint32_t>(std::max<std::size_t>(1, length)),
                                      std::move(message), {std::move(note)}));
    return std::nullopt;
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t'))
      ++at_;
  }
  bool take(char c) {
    skip_blanks();
    const bool there = at_ < text_.size() && text_[at_] == c;
    at_ += there ? 1 : 0;
    return there;
  }
  // Letters, digits, '_' and '.', as keys have them; other names stand in braces:
  // {lattice-qcd.total_time_us}.
  std::string_view peek_word(std::size_t at) const {
    std::size_t end = at;
    if (end < text_.size() && is_letter(text_[end]))
      while (end < text_.size() && is_word_part(text_[end]))
        ++end;
    return text_.substr(at, end - at);
  }

  const Binary* peek_binary() {
    skip_blanks();
    const std::string_view rest = text_.substr(at_);
    const std::string_view word = peek_word(at_);
    for (const Binary& binary : binaries)
      if (is_letter(binary.symbol[0]) ? word == binary.symbol : rest.starts_with(binary.symbol))
        return &binary;
    return nullptr;
  }

  bool wants(Type wanted, Type is, std::size_t from) {
    if (wanted == is)
      return true;
    fail_at(from, at_ - from,
            wanted == Type::number ? "a condition where a number must stand"
                                   : "a number where a condition must stand",
            wanted == Type::number ? "compare numbers; join conditions with 'and', 'or', 'not'"
                                   : "compare it: sms <= 100");
    return false;
  }

  void emit(Operation operation) { out_.code.push_back({operation, 0, 0}); }

  std::optional<Type> parse(int least) {
    if (++depth_ > max_depth)
      return fail_at(at_, 1, "too deeply nested", "name parts of the expression");
    const std::size_t from = at_;
    std::optional<Type> left = prefix();
    for (const Binary* binary = nullptr; left && (binary = peek_binary()) && binary->precedence >= least;) {
      if (!wants(binary->operands, *left, from))
        return std::nullopt;
      at_ += binary->symbol.size();
      skip_blanks();
      const std::size_t right_from = at_;
      const std::optional<Type> right = parse(binary->precedence + 1);
      if (!right || !wants(binary->operands, *right, right_from))
        return std::nullopt;
      emit(binary->operation);
      left = binary->result;
    }
    --depth_;
    return left;
  }

  std::optional<Type> operator_before(Type wanted, int precedence, Operation operation) {
    skip_blanks();
    const std::size_t from = at_;
    const std::optional<Type> operand = parse(precedence);
    if (!operand || !wants(wanted, *operand, from))
      return std::nullopt;
    emit(operation);
    return wanted;
  }

  std::optional<Type> prefix() {
    skip_blanks();
    if (at_ == text_.size())
      return fail_at(at_, 1, "the expression ends where a number or a name must stand",
                     "for example: sms * 4.5 + l2.mib <= 400");
    const char c = text_[at_];
    if (is_digit(c) || c == '.')
      return number();
    if (take('-'))
      return operator_before(Type::number, 6, Operation::negate);
    if (take('('))
      return parenthesis();
    if (c == '{')
      return braced_name();
    const std::string_view word = peek_word(at_);
    if (word.empty())
      return fail_at(at_, 1, fmt::format("'{}' has no meaning here", c),
                     "write keys, numbers, + - * / and comparisons");
    const std::size_t at = at_;
    at_ += word.size();
    if (word == "not")
      return operator_before(Type::condition, not_precedence, Operation::logical_not);
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '(')
      return call(word, at);
    return name(word, at);
  }

  std::optional<Type> parenthesis() {
    const std::optional<Type> inner = parse(0);
    if (inner && !take(')'))
      return fail_at(at_, 1, "expected ')'", "close every '('");
    return inner;
  }

  std::optional<Type> number() {
    double value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    const auto length = static_cast<std::size_t>(end - begin);
    if (error != std::errc() || !std::isfinite(value) ||
        (at_ + length < text_.size() && is_letter(text_[at_ + length])))
      return fail_at(at_, std::max<std::size_t>(1, length), "not a number", "write 12, 0.5 or 1e9");
    out_.code.push_back({Operation::number, value, 0});
    at_ += length;
    return Type::number;
  }

  std::optional<Type> braced_name() {
    const std::size_t end = text_.find('}', at_);
    if (end == std::string_view::npos || end == at_ + 1)
      return fail_at(at_, 1, "expected a name and '}'", "for example: {lattice-qcd.total_time_us}");
    const std::size_t at = at_ + 1;
    at_ = end + 1;
    return name(text_.substr(at, end - at), at);
  }

  std::optional<Type> name(std::string_view word, std::size_t at) {
    std::size_t index = 0;
    while (index < out_.names.size() && out_.names[index].name != word)
      ++index;
    if (index == out_.names.size())
      out_.names.push_back({std::string(word), place_of(at)});
    out_.code.push_back({Operation::name, 0, static_cast<std::uint32_t>(index)});
    return Type::number;
  }

  std::optional<Type> call(std::string_view word, std::size_t at) {
    const auto* function = std::find_if(std::begin(functions), std::end(functions),
                                        [&](const Function& f) { return f.name == word; });
    if (function == std::end(functions))
      return unknown_function(word, at);
    take('(');
    const std::size_t operands = operands_of(*function);
    if (operands == 0)
      return std::nullopt;
    if (!take(')'))
      return fail_at(at_, 1, "expected ')'", "close every '('");
    if (function->several != (operands > 1))
      return fail_at(
          at, word.size(),
          fmt::format("{} takes {}", word, function->several ? "two numbers or more" : "one number"),
          function->several ? "for example: min(sms, 100)" : fmt::format("for example: {}(sms)", word));
    if (!function->several)
      emit(function->operation);
    return Type::number;
  }

  // How many there are; 0 after an error.
  std::size_t operands_of(const Function& function) {
    std::size_t operands = 0;
    do {
      skip_blanks();
      const std::size_t from = at_;
      const std::optional<Type> operand = parse(0);
      if (!operand || !wants(Type::number, *operand, from))
        return 0;
      if (++operands > 1)
        emit(function.operation);
    } while (take(','));
    return operands;
  }

  std::nullopt_t unknown_function(std::string_view word, std::size_t at) {
    std::vector<std::string_view> known;
    for (const Function& f : functions)
      known.push_back(f.name);
    const std::string near = nearest(word, known);
    return fail_at(at, word.size(), fmt::format("unknown function '{}'", word),
                   near.empty() ? "there are min, max, floor, ceil, abs, sqrt"
                                : fmt::format("did you mean '{}'?", near));
  }

  const SourceText& source_;
  Place place_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  Diagnostics errors_;
  Expression out_;
};

} // namespace

Expected<Expression> parse_expression(const SourceText& source, Place place, std::string_view text) {
  return Parser(source, place, text).run();
}

} // namespace kerncast::sweep
