// Float arithmetic that feeds branches and addresses: add, sub, mul, fma, div.rn, sqrt.rn, min, max, neg,
// abs on f32 and f64 with rounding to nearest (PTX ISA, section 9.7.3, floating-point instructions).
//
// All are correctly rounded on the host as on the device. Left out: .ftz, .sat, other roundings,
// approximations; a NaN result is unknown, because its payload differs between machines.
#include <cmath>

#include "lane_loops.h"
#include "select_operation.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

template <class T> struct FloatAdd {
  T operator()(T a, T b) const { return a + b; }
};
template <class T> struct FloatSubtract {
  T operator()(T a, T b) const { return a - b; }
};
template <class T> struct FloatMultiply {
  T operator()(T a, T b) const { return a * b; }
};
template <class T> struct FloatDivide {
  T operator()(T a, T b) const { return a / b; }
};
template <class T> struct FusedMultiplyAdd {
  T operator()(T a, T b, T c) const { return std::fma(a, b, c); }
};
template <class T> struct SquareRoot {
  T operator()(T a) const { return std::sqrt(a); }
};
// min and max give the other operand for one NaN, and order -0 below +0.
template <class T> struct FloatMinimum {
  T operator()(T a, T b) const {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) ? b : a;
    return a < b || (a == b && std::signbit(a)) ? a : b;
  }
};
template <class T> struct FloatMaximum {
  T operator()(T a, T b) const {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) ? b : a;
    return a > b || (a == b && !std::signbit(a)) ? a : b;
  }
};
template <class T> struct FloatNegate {
  T operator()(T a) const { return -a; }
};
template <class T> struct FloatAbsolute {
  T operator()(T a) const { return std::fabs(a); }
};

// Runs `apply` and forgets the lanes whose result is NaN.
template <class T, LaneFunction apply>
void without_nan(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  apply(file, op, destination);
  const auto& d = file.lanes<BitsOf<T>>(destination);
  LaneMask numbers = 0;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    numbers |= std::isnan(from_bits<T>(d[i])) ? LaneMask{0} : LaneMask{1} << i;
  file.lanes_known<BitsOf<T>>(destination) &= numbers;
}

template <class T> LaneFunction function_for(Opcode opcode) {
  switch (opcode) {
  case Opcode::add:
    return without_nan<T, binary<T, T, T, FloatAdd<T>>>;
  case Opcode::sub:
    return without_nan<T, binary<T, T, T, FloatSubtract<T>>>;
  case Opcode::mul:
    return without_nan<T, binary<T, T, T, FloatMultiply<T>>>;
  case Opcode::div:
    return without_nan<T, binary<T, T, T, FloatDivide<T>>>;
  case Opcode::min:
    return without_nan<T, binary<T, T, T, FloatMinimum<T>>>;
  case Opcode::max:
    return without_nan<T, binary<T, T, T, FloatMaximum<T>>>;
  case Opcode::mad:
  case Opcode::fma:
    return without_nan<T, ternary<T, T, T, T, FusedMultiplyAdd<T>>>;
  case Opcode::sqrt:
    return without_nan<T, unary<T, T, SquareRoot<T>>>;
  case Opcode::neg:
    return without_nan<T, unary<T, T, FloatNegate<T>>>;
  case Opcode::abs:
    return without_nan<T, unary<T, T, FloatAbsolute<T>>>;
  default:
    return nullptr;
  }
}

std::uint8_t source_count(Opcode opcode) {
  switch (opcode) {
  case Opcode::sqrt:
  case Opcode::neg:
  case Opcode::abs:
    return 1;
  case Opcode::mad:
  case Opcode::fma:
    return 3;
  default:
    return 2;
  }
}

// Every modifier besides the type must be .rn: anything else changes the result.
bool only_round_to_nearest(const InstructionForm& form) {
  for (const Modifier m : form.modifiers)
    if (m != Modifier::rn && ptx::type_of(m) == Type::none)
      return false;
  // Division and square root without .rn are approximations in f32.
  const bool needs_rn = form.opcode == Opcode::div || form.opcode == Opcode::sqrt;
  return !needs_rn || form.has(Modifier::rn);
}

} // namespace

std::optional<Selection> select_float(const InstructionForm& form) {
  if (form.type_count != 1 || !only_round_to_nearest(form))
    return std::nullopt;
  Selection s;
  if (form.type() == Type::f32)
    s.apply = function_for<float>(form.opcode);
  else if (form.type() == Type::f64)
    s.apply = function_for<double>(form.opcode);
  if (s.apply == nullptr)
    return std::nullopt;
  s.result = form.type();
  s.sources.fill(form.type());
  s.source_count = source_count(form.opcode);
  return s;
}

} // namespace kerncast::warp
