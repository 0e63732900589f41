// Conditions and numbers of a sweep file, written over keys and other names: "sms * 4.5 + l2.mib <= 400".
//
//   or  and  not  < <= > >= == !=  + -  * /  -x  (x)  min(a, b, ...) max(a, b, ...) floor ceil abs sqrt
//
// Numbers and conditions are told apart when the text is read. Left out: functions whose last bit differs
// between libraries (exp, log, powers), so that the same file selects the same points everywhere.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostics.h"

namespace kerncast::sweep {

enum class Operation : std::uint8_t {
  number,
  name,
  negate,
  add,
  subtract,
  multiply,
  divide,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  logical_not,
  min,
  max,
  floor,
  ceil,
  abs,
  sqrt
};

struct Instruction { // takes its operands from a stack
  Operation operation = Operation::number;
  double number = 0;
  std::uint32_t name = 0; // index into Expression::names
};

struct NameUse {
  std::string name;
  Place place; // of its first occurrence
};

struct Expression {
  std::string text;
  std::vector<Instruction> code;
  std::vector<NameUse> names; // each once
  bool is_condition = false;
};

// `text` begins at `place` of `source`, for messages.
Expected<Expression> parse_expression(const SourceText& source, Place place, std::string_view text);

// `values[i]` belongs to names[i]. Conditions are 0 or 1. Not a number where a division by 0, a root of what
// is below 0, or a value that is not a number decides.
double evaluate(const Expression& expression, const std::vector<double>& values);

} // namespace kerncast::sweep
