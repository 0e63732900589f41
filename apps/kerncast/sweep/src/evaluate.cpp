#include <algorithm>
#include <cmath>

#include "sweep/expression.h"

namespace kerncast::sweep {
namespace {

double truth_value(bool holds) { return holds ? 1 : 0; }

double apply(Operation operation, double a, double b) {
  switch (operation) {
  case Operation::add:
    return a + b;
  case Operation::subtract:
    return a - b;
  case Operation::multiply:
    return a * b;
  case Operation::divide:
    return a / b;
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
  case Operation::logical_and:
    return truth_value(a != 0 && b != 0);
  case Operation::logical_or:
    return truth_value(a != 0 || b != 0);
  case Operation::min:
    return std::min(a, b);
  default:
    return std::max(a, b);
  }
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
    return truth_value(a == 0); // not
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
      stack.back() = apply(instruction.operation, stack.back(), b);
    }
  }
  return stack.back();
}

} // namespace kerncast::sweep
