// f16, f16x2, bf16 and bf16x2: add, sub, mul, fma, min, max, neg, abs, and the approximations ex2 and tanh
// (PTX ISA, section 9.7.4, half precision floating-point instructions).
//
// Sums, products and fused products are those of doubles, rounded to odd where they are not exact, and so
// rounded once. A NaN is the canonical one. Left out: sums of mixed precision.
#include <algorithm>
#include <cmath>

#include "approximations.h"
#include "float_format.h"
#include "round_to_odd.h"
#include "select_operation.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

struct Half {
  static constexpr const FloatFormat& format = f16_format;
  static constexpr double smallest_normal = 0x1p-14;
};
struct Bfloat {
  static constexpr const FloatFormat& format = bf16_format;
  static constexpr double smallest_normal = 0x1p-126;
};

// MicroOp::immediate.
enum : std::uint32_t {
  half_ftz = 1,    // .ftz
  half_sat = 2,    // .sat
  half_relu = 4,   // .relu
  half_packed = 8, // two in one register
  half_oob = 16,   // .oob: +0 where an operand is the NaN that stands for what lies outside of a tensor
};
// The manual gives no bits of it; what bulk copies of tensors fill with.
constexpr std::uint16_t oob_nan = 0x7ff7;

struct HalfSum {
  double operator()(double a, double b) const { return sum_to_odd(a, b); }
};
struct HalfDifference {
  double operator()(double a, double b) const { return sum_to_odd(a, -b); }
};
struct Product {
  double operator()(double a, double b) const { return a * b; }
};
struct FusedProduct {
  double operator()(double a, double b, double c) const { return sum_to_odd(a * b, c); }
};
// Of two numbers; -0 lies below +0.
struct HalfLesser {
  double operator()(double a, double b) const { return a < b || (a == b && std::signbit(a)) ? a : b; }
};
struct HalfGreater {
  double operator()(double a, double b) const { return a > b || (a == b && !std::signbit(a)) ? a : b; }
};
// One NaN gives the other operand, with .NaN a NaN.
template <class Choice, bool keeps_nan> struct HalfExtreme {
  double operator()(double a, double b) const {
    if (std::isnan(a) || std::isnan(b))
      return keeps_nan || std::isnan(b) == std::isnan(a) ? NAN : std::isnan(a) ? b : a;
    return Choice{}(a, b);
  }
};
// .xorsign.abs: of the magnitudes, with the sign of the product.
template <class Choice, bool keeps_nan> struct HalfSignedExtreme {
  double operator()(double a, double b) const {
    const double result = HalfExtreme<Choice, keeps_nan>{}(std::fabs(a), std::fabs(b));
    return std::signbit(a) != std::signbit(b) ? -result : result;
  }
};
struct Opposite {
  double operator()(double a) const { return -a; }
};
struct Magnitude {
  double operator()(double a) const { return std::fabs(a); }
};
struct HalfExp2 {
  double operator()(double a) const { return approximate_exp2(a); }
};
struct HalfTanh {
  double operator()(double a) const { return approximate_tanh(a); }
};

template <class H> double flushed_half(double a) {
  return std::fabs(a) < H::smallest_normal ? std::copysign(0.0, a) : a;
}

template <class H> std::uint16_t finished(double result, std::uint32_t how) {
  if ((how & half_sat) != 0)
    result = result > 0 ? std::min(result, 1.0) : 0;
  if ((how & half_relu) != 0 && !std::isnan(result))
    result = result > 0 ? result : 0;
  if ((how & half_ftz) != 0)
    result = flushed_half<H>(result);
  return narrow_to_half(result, H::format);
}

// One of the halves; F takes as many doubles as the operation has sources.
template <class H, class F, std::size_t... s>
std::uint32_t half_result(const std::array<std::uint32_t, 3>& words, std::uint32_t by, std::uint32_t how,
                          std::index_sequence<s...>) {
  if ((how & half_oob) != 0 && ((static_cast<std::uint16_t>(words[s] >> by) == oob_nan) || ...))
    return 0;
  const auto read = [&](std::uint32_t word) {
    const double value = widen_half(static_cast<std::uint16_t>(word >> by), H::format);
    return (how & half_ftz) != 0 ? flushed_half<H>(value) : value;
  };
  return std::uint32_t{finished<H>(F{}(read(words[s])...), how)} << by;
}

template <class H, class F, std::size_t arity>
void halves(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  LaneMask known = all_lanes;
  for (std::size_t s = 0; s < arity; ++s)
    known &= file.lanes_known<std::uint32_t>(op.sources[s].index);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
    std::array<std::uint32_t, 3> words{};
    for (std::size_t s = 0; s < arity; ++s)
      words[s] = file.lanes<std::uint32_t>(op.sources[s].index)[i];
    constexpr auto sources = std::make_index_sequence<arity>{};
    std::uint32_t result = half_result<H, F>(words, 0, op.immediate, sources);
    if ((op.immediate & half_packed) != 0)
      result |= half_result<H, F>(words, 16, op.immediate, sources);
    file.lanes<std::uint32_t>(destination)[i] = result;
  }
  file.lanes_known<std::uint32_t>(destination) = known;
}

template <class H, class Choice> LaneFunction half_extreme(const InstructionForm& form) {
  const bool keeps_nan = form.has(Modifier::NaN);
  if (form.has(Modifier::xorsign))
    return keeps_nan ? halves<H, HalfSignedExtreme<Choice, true>, 2>
                     : halves<H, HalfSignedExtreme<Choice, false>, 2>;
  return keeps_nan ? halves<H, HalfExtreme<Choice, true>, 2> : halves<H, HalfExtreme<Choice, false>, 2>;
}

struct HalfRow {
  LaneFunction apply = nullptr;
  std::uint8_t sources = 1;
  bool inexact = false;
};

template <class H> HalfRow half_row(const InstructionForm& form) {
  switch (form.opcode) {
  case Opcode::add:
    return {halves<H, HalfSum, 2>, 2};
  case Opcode::sub:
    return {halves<H, HalfDifference, 2>, 2};
  case Opcode::mul:
    return {halves<H, Product, 2>, 2};
  case Opcode::fma:
    return {halves<H, FusedProduct, 3>, 3};
  case Opcode::min:
    return {half_extreme<H, HalfLesser>(form), 2};
  case Opcode::max:
    return {half_extreme<H, HalfGreater>(form), 2};
  case Opcode::neg:
    return {halves<H, Opposite, 1>};
  case Opcode::abs:
    return {halves<H, Magnitude, 1>};
  case Opcode::ex2:
    return {halves<H, HalfExp2, 1>, 1, true};
  case Opcode::tanh:
    return {halves<H, HalfTanh, 1>, 1, true};
  default:
    return {};
  }
}

bool is_half_modifier(Modifier m) {
  constexpr Modifier known[] = {Modifier::rn,   Modifier::ftz,    Modifier::sat,
                                Modifier::relu, Modifier::NaN,    Modifier::xorsign,
                                Modifier::abs,  Modifier::approx, Modifier::oob};
  return std::find(std::begin(known), std::end(known), m) != std::end(known) || ptx::type_of(m) != Type::none;
}

} // namespace

std::optional<Selection> select_half(const InstructionForm& form) {
  const Type type = form.type();
  const bool is_half = type == Type::f16 || type == Type::f16x2;
  const bool is_bfloat = type == Type::bf16 || type == Type::bf16x2;
  if (form.type_count != 1 || (!is_half && !is_bfloat) ||
      !std::all_of(form.modifiers.begin(), form.modifiers.end(), is_half_modifier))
    return std::nullopt;
  const HalfRow row = is_half ? half_row<Half>(form) : half_row<Bfloat>(form);
  if (row.apply == nullptr)
    return std::nullopt;
  Selection s;
  s.apply = row.apply;
  s.inexact = row.inexact;
  s.result = type;
  s.sources.fill(type);
  s.source_count = row.sources;
  s.immediate = (form.has(Modifier::ftz) ? half_ftz : 0U) | (form.has(Modifier::sat) ? half_sat : 0U) |
                (form.has(Modifier::relu) ? half_relu : 0U) | (form.has(Modifier::oob) ? half_oob : 0U) |
                (ptx::size_bytes(type) == 4 ? half_packed : 0U);
  return s;
}

} // namespace kerncast::warp
