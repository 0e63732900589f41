#include <algorithm>
#include <cmath>
#include <limits>

#include "sweep/expression.h"

namespace kerncast::sweep {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

double truth_value(bool holds) { return holds ? 1 : 0; }

bool is_true(double a) { return a != 0 && !std::isnan(a); }

// Of two numbers; what has no value makes what is made of it have none.
double apply(Operation operation, double a, double b) {
  switch (operation) {
  case Operation::add:
    return a + b;
  case Operation::subtract:
    return a - b;
  case Operation::multiply:
    return a * b;
  case Operation::divide:
    return b == 0 ? undefined : a / b;
  case Operation::less:
    return truth_value(a < b);
  case Operation::less_equal:
    return truth_value(a <= b);
  case Operation::greater:
    return truth_value(a > b);
  case Operation::greater_equal:
    return truth_value(a >= b);
  case Operation::equal:
    return truth_value(a == b);
  case Operation::not_equal:
    return truth_value(a != b);
  case Operation::min:
    return std::min(a, b);
  default:
    return std::max(a, b);
  }
}

// One operand may decide alone.
double apply_and(double a, double b) {
  if (a == 0 || b == 0)
    return 0;
  return std::isunordered(a, b) ? undefined : 1;
}

double apply_or(double a, double b) {
  if (is_true(a) || is_true(b))
    return 1;
  return std::isunordered(a, b) ? undefined : 0;
}

double apply_two(Operation operation, double a, double b) {
  if (operation == Operation::logical_and)
    return apply_and(a, b);
  if (operation == Operation::logical_or)
    return apply_or(a, b);
  return std::isunordered(a, b) ? undefined : apply(operation, a, b);
}

double apply(Operation operation, double a) {
  switch (operation) {
  case Operation::negate:
    return -a;
  case Operation::floor:
    return std::floor(a);
  case Operation::ceil:
    return std::ceil(a);
  case Operation::abs:
    return std::fabs(a);
  case Operation::sqrt:
    return std::sqrt(a);
  default:
    return std::isnan(a) ? undefined : truth_value(a == 0); // not
  }
}

bool takes_one(Operation operation) {
  return operation == Operation::negate || operation == Operation::logical_not ||
         operation == Operation::floor || operation == Operation::ceil || operation == Operation::abs ||
         operation == Operation::sqrt;
}

} // namespace

double evaluate(const Expression& expression, const std::vector<double>& values) {
  std::vector<double> stack;
  for (const Instruction& instruction : expression.code) {
    if (instruction.operation == Operation::number) {
      stack.push_back(instruction.number);
    } else if (instruction.operation == Operation::name) {
      stack.push_back(values[instruction.name]);
    } else if (takes_one(instruction.operation)) {
      stack.back() = apply(instruction.operation, stack.back());
    } else {
      const double b = stack.back();
      stack.pop_back();
      stack.back() = apply_two(instruction.operation, stack.back(), b);
    }
  }
  return stack.back();
}

} // namespace kerncast::sweep
