// Float arithmetic: add, sub, mul, fma, div, rcp, sqrt, rsqrt, min, max, neg, abs and the approximations on
// f32 and f64 (PTX ISA, section 9.7.3, floating-point instructions), with .ftz and .sat.
//
// All but the approximations are correctly rounded on the host as on the device; these are
// Selection::inexact. A NaN is the canonical one and, as f64 NaNs have payloads on the device, unknown. Half
// precision is in half_ops.cpp.
#include <algorithm>
#include <cmath>

#include "approximations.h"
#include "host_rounding.h"
#include "lane_loops.h"
#include "round_to_odd.h"
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
// To nearest in vector form: the product is exact in a double.
template <> struct FusedMultiplyAdd<float> {
  float operator()(float a, float b, float c) const {
    return static_cast<float>(sum_to_odd(static_cast<double>(a) * b, c));
  }
};
// The other roundings, under the host's mode.
template <class T> struct FusedInHostMode {
  T operator()(T a, T b, T c) const { return std::fma(a, b, c); }
};
template <class T> struct Reciprocal {
  T operator()(T a) const { return T{1} / a; }
};
template <class T> struct ReciprocalRoot {
  T operator()(T a) const { return static_cast<T>(1 / std::sqrt(static_cast<double>(a))); }
};
struct Exp2 {
  float operator()(float a) const { return static_cast<float>(approximate_exp2(a)); }
};
struct Log2 {
  float operator()(float a) const { return static_cast<float>(approximate_log2(a)); }
};
struct Sine {
  float operator()(float a) const { return static_cast<float>(approximate_sine(a)); }
};
struct Cosine {
  float operator()(float a) const { return static_cast<float>(approximate_cosine(a)); }
};
struct HyperbolicTangent {
  float operator()(float a) const { return static_cast<float>(approximate_tanh(a)); }
};
// .ftz: subnormal operands and results become zeros of their sign.
inline float flushed(float a) { return std::fabs(a) < 0x1p-126F ? std::copysign(0.0F, a) : a; }
template <class F> struct Flushing {
  template <class... Floats> float operator()(Floats... a) const { return flushed(F{}(flushed(a)...)); }
};
// .sat: to [0, 1], NaN to 0.
template <class F> struct Saturating {
  template <class... Floats> auto operator()(Floats... a) const {
    const auto result = F{}(a...);
    using T = decltype(result + 0);
    return result > T{0} ? (result < T{1} ? T{result} : T{1}) : T{0};
  }
};
template <class T> struct SquareRoot {
  T operator()(T a) const { return std::sqrt(a); }
};
// min and max give the other operand for one NaN, with .NaN a NaN, and order -0 below +0.
template <class T> struct Lesser {
  T operator()(T a, T b) const { return a < b || (a == b && std::signbit(a)) ? a : b; }
};
template <class T> struct Greater {
  T operator()(T a, T b) const { return a > b || (a == b && !std::signbit(a)) ? a : b; }
};
template <class T, class Choice, bool keeps_nan> struct Extreme {
  T operator()(T a, T b) const {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) != keeps_nan ? b : a;
    return Choice{}(a, b);
  }
};
// .xorsign.abs: of the magnitudes, with the sign of the product.
template <class T, class Choice, bool keeps_nan> struct SignedExtreme {
  T operator()(T a, T b) const {
    const T result = Extreme<T, Choice, keeps_nan>{}(std::fabs(a), std::fabs(b));
    return std::signbit(a) != std::signbit(b) ? -result : result;
  }
};
// Of three numbers, with .abs of their magnitudes.
template <class T, class Choice, bool keeps_nan, bool of_magnitudes> struct ExtremeOfThree {
  T operator()(T a, T b, T c) const {
    const Extreme<T, Choice, keeps_nan> of;
    return of_magnitudes ? of(of(std::fabs(a), std::fabs(b)), std::fabs(c)) : of(of(a, b), c);
  }
};
template <class T> struct FloatNegate {
  T operator()(T a) const { return -a; }
};
template <class T> struct FloatAbsolute {
  T operator()(T a) const { return std::fabs(a); }
};
template <class T> struct CopySign {
  T operator()(T sign, T value) const { return std::copysign(value, sign); }
};

// Runs `apply`; NaNs become canonical and their lanes unknown.
template <class T, LaneFunction apply>
void without_nan(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  using Word = BitsOf<T>;
  constexpr Word magnitude = static_cast<Word>(~Word{0}) >> 1;
  constexpr Word infinity = sizeof(T) == 8 ? static_cast<Word>(0x7ff0000000000000ULL) : Word{0x7f800000};
  constexpr Word canonical = sizeof(T) == 8 ? static_cast<Word>(0x7ff8000000000000ULL) : Word{0x7fffffff};
  apply(file, op, destination);
  auto& d = file.lanes<Word>(destination);
  Word any = 0;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    any |= infinity - (d[i] & magnitude); // the top bit where it is a NaN
  if ((any & ~magnitude) == 0)
    return;
  LaneMask numbers = all_lanes;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    if ((d[i] & magnitude) > infinity) {
      numbers &= ~(LaneMask{1} << i);
      d[i] = canonical;
    }
  file.lanes_known<Word>(destination) &= numbers;
}

struct Form {
  bool ftz = false;
  bool sat = false;
  bool nearest = true;    // else under the host's rounding mode
  bool keeps_nan = false; // .NaN
  bool xorsign = false;   // .xorsign.abs
  bool of_three = false;  // min and max
  bool of_magnitudes = false;
};

template <class T, class F, int arity> LaneFunction with_arity() {
  if constexpr (arity == 1)
    return without_nan<T, unary<T, T, F>>;
  else if constexpr (arity == 2)
    return without_nan<T, binary<T, T, T, F>>;
  else
    return without_nan<T, ternary<T, T, T, T, F>>;
}

template <class T, class F, int arity> LaneFunction in_form(const Form& form) {
  if (form.sat && form.ftz)
    if constexpr (sizeof(T) == 4)
      return with_arity<T, Flushing<Saturating<F>>, arity>();
  if (form.sat)
    return with_arity<T, Saturating<F>, arity>();
  if (form.ftz)
    if constexpr (sizeof(T) == 4)
      return with_arity<T, Flushing<F>, arity>();
  return with_arity<T, F, arity>();
}

LaneFunction approximation_for(Opcode opcode, const Form& form) {
  switch (opcode) {
  case Opcode::ex2:
    return in_form<float, Exp2, 1>(form);
  case Opcode::lg2:
    return in_form<float, Log2, 1>(form);
  case Opcode::sin:
    return in_form<float, Sine, 1>(form);
  case Opcode::cos:
    return in_form<float, Cosine, 1>(form);
  case Opcode::tanh:
    return in_form<float, HyperbolicTangent, 1>(form);
  default:
    return nullptr;
  }
}

template <class T, class Choice, bool keeps_nan> LaneFunction extreme_of_three(const Form& form) {
  return form.of_magnitudes ? in_form<T, ExtremeOfThree<T, Choice, keeps_nan, true>, 3>(form)
                            : in_form<T, ExtremeOfThree<T, Choice, keeps_nan, false>, 3>(form);
}

template <class T, class Choice> LaneFunction extreme(const Form& form) {
  if (form.of_three)
    return form.keeps_nan ? extreme_of_three<T, Choice, true>(form)
                          : extreme_of_three<T, Choice, false>(form);
  if (form.xorsign)
    return form.keeps_nan ? in_form<T, SignedExtreme<T, Choice, true>, 2>(form)
                          : in_form<T, SignedExtreme<T, Choice, false>, 2>(form);
  return form.keeps_nan ? in_form<T, Extreme<T, Choice, true>, 2>(form)
                        : in_form<T, Extreme<T, Choice, false>, 2>(form);
}

template <class T> LaneFunction float_function(Opcode opcode, const Form& form) {
  switch (opcode) {
  case Opcode::add:
    return in_form<T, FloatAdd<T>, 2>(form);
  case Opcode::sub:
    return in_form<T, FloatSubtract<T>, 2>(form);
  case Opcode::mul:
    return in_form<T, FloatMultiply<T>, 2>(form);
  case Opcode::div:
    return in_form<T, FloatDivide<T>, 2>(form);
  case Opcode::min:
    return extreme<T, Lesser<T>>(form);
  case Opcode::max:
    return extreme<T, Greater<T>>(form);
  case Opcode::copysign:
    return in_form<T, CopySign<T>, 2>(form);
  case Opcode::mad:
  case Opcode::fma:
    return form.nearest ? in_form<T, FusedMultiplyAdd<T>, 3>(form) : in_form<T, FusedInHostMode<T>, 3>(form);
  case Opcode::rcp:
    return in_form<T, Reciprocal<T>, 1>(form);
  case Opcode::sqrt:
    return in_form<T, SquareRoot<T>, 1>(form);
  case Opcode::rsqrt:
    return in_form<T, ReciprocalRoot<T>, 1>(form);
  case Opcode::neg:
    return in_form<T, FloatNegate<T>, 1>(form);
  case Opcode::abs:
    return in_form<T, FloatAbsolute<T>, 1>(form);
  default:
    return sizeof(T) == 4 ? approximation_for(opcode, form) : nullptr;
  }
}

std::uint8_t float_source_count(Opcode opcode) {
  switch (opcode) {
  case Opcode::add:
  case Opcode::sub:
  case Opcode::mul:
  case Opcode::div:
  case Opcode::min:
  case Opcode::max:
  case Opcode::copysign:
    return 2;
  case Opcode::mad:
  case Opcode::fma:
    return 3;
  default:
    return 1;
  }
}

bool is_float_modifier(Modifier m) {
  constexpr Modifier known[] = {Modifier::rn,  Modifier::rz,      Modifier::rm,     Modifier::rp,
                                Modifier::ftz, Modifier::sat,     Modifier::approx, Modifier::full,
                                Modifier::NaN, Modifier::xorsign, Modifier::abs};
  return std::find(std::begin(known), std::end(known), m) != std::end(known) || ptx::type_of(m) != Type::none;
}

// What the manual gives an error bound instead of a rounding.
bool is_inexact(const InstructionForm& form) {
  switch (form.opcode) {
  case Opcode::rsqrt:
  case Opcode::ex2:
  case Opcode::lg2:
  case Opcode::sin:
  case Opcode::cos:
  case Opcode::tanh:
    return true;
  default:
    break;
  }
  // Division, reciprocal and square root without a rounding are approximations in f32.
  const bool needs_rounding =
      form.opcode == Opcode::div || form.opcode == Opcode::sqrt || form.opcode == Opcode::rcp;
  const bool rounds = form.has(Modifier::rn) || host_rounding(form) != FE_TONEAREST;
  return form.has(Modifier::approx) || form.has(Modifier::full) || (needs_rounding && !rounds);
}

} // namespace

std::optional<Selection> select_float(const InstructionForm& form) {
  if (form.type_count != 1 || !std::all_of(form.modifiers.begin(), form.modifiers.end(), is_float_modifier))
    return std::nullopt;
  const int rounding = host_rounding(form);
  const Form float_form{form.has(Modifier::ftz), form.has(Modifier::sat),     rounding == FE_TONEAREST,
                        form.has(Modifier::NaN), form.has(Modifier::xorsign), form.source_count == 3,
                        form.has(Modifier::abs)};
  Selection s;
  if (form.type() == Type::f32)
    s.apply = float_function<float>(form.opcode, float_form);
  else if (form.type() == Type::f64)
    s.apply = float_function<double>(form.opcode, float_form);
  if (s.apply == nullptr)
    return std::nullopt;
  set_rounding(s, rounding);
  s.inexact = is_inexact(form);
  s.needs_all = true;
  s.result = form.type();
  s.sources.fill(form.type());
  const bool chooses = form.opcode == Opcode::min || form.opcode == Opcode::max;
  s.source_count = chooses && float_form.of_three ? 3 : float_source_count(form.opcode);
  return s;
}

} // namespace kerncast::warp
