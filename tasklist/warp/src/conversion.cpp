// mov, cvta, cvt (PTX ISA, section 9.7.9, data movement and conversion).
//
// Integers convert by truncation and extension, floats to integers with saturation. The forms of cvt that are
// left out, .sat, .ftz, narrower formats and other roundings, are in format_conversion.cpp.
#include <cmath>
#include <limits>

#include "lane_loops.h"
#include "lane_moves.h"
#include "select_operation.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

// A float rounded to an integral value. All four are exact, so no math library changes the result.
enum class Rounding : std::uint8_t { zero, nearest_even, down, up };

template <Rounding rounding, class F> F round_to_integral(F a) {
  switch (rounding) {
  case Rounding::zero:
    return std::trunc(a);
  case Rounding::nearest_even:
    return std::nearbyint(a);
  case Rounding::down:
    return std::floor(a);
  case Rounding::up:
    return std::ceil(a);
  }
  return a;
}

// Out of range: the nearest end of the range. NaN: zero, but 0x80... where 64 bits are on either side.
template <class R, class F, Rounding rounding> struct FloatToInteger {
  R operator()(F a) const {
    using Limits = std::numeric_limits<R>;
    if (std::isnan(a))
      return sizeof(R) == 8 || sizeof(F) == 8 ? static_cast<R>(std::uint64_t{1} << (8 * sizeof(R) - 1))
                                              : R{0};
    const F rounded = round_to_integral<rounding>(a);
    // 2^(bits) is exact in F, max() may not be.
    const F above = std::ldexp(F{1}, Limits::digits);
    if (rounded >= above)
      return Limits::max();
    if (rounded < static_cast<F>(Limits::min()))
      return Limits::min();
    return static_cast<R>(rounded);
  }
};
template <class R, class I> struct Convert {
  R operator()(I a) const { return static_cast<R>(a); }
};
template <class F, Rounding rounding> struct RoundFloat {
  F operator()(F a) const { return round_to_integral<rounding>(a); }
};

template <class F> bool with_conversion_type(Type type, F&& f) {
  switch (type) {
  case Type::s8:
    f(std::int8_t{});
    return true;
  case Type::u8:
  case Type::b8:
    f(std::uint8_t{});
    return true;
  default:
    return with_integer_type(type, std::forward<F>(f));
  }
}

std::optional<Rounding> integral_rounding(const InstructionForm& form) {
  if (form.has(Modifier::rzi))
    return Rounding::zero;
  if (form.has(Modifier::rni))
    return Rounding::nearest_even;
  if (form.has(Modifier::rmi))
    return Rounding::down;
  return form.has(Modifier::rpi) ? std::optional(Rounding::up) : std::nullopt;
}

template <class R, class F> LaneFunction float_to_integer(Rounding rounding) {
  switch (rounding) {
  case Rounding::zero:
    return unary<R, F, FloatToInteger<R, F, Rounding::zero>>;
  case Rounding::nearest_even:
    return unary<R, F, FloatToInteger<R, F, Rounding::nearest_even>>;
  case Rounding::down:
    return unary<R, F, FloatToInteger<R, F, Rounding::down>>;
  case Rounding::up:
    return unary<R, F, FloatToInteger<R, F, Rounding::up>>;
  }
  return nullptr;
}

template <class F> LaneFunction rounded_float(Rounding rounding) {
  switch (rounding) {
  case Rounding::zero:
    return unary<F, F, RoundFloat<F, Rounding::zero>>;
  case Rounding::nearest_even:
    return unary<F, F, RoundFloat<F, Rounding::nearest_even>>;
  case Rounding::down:
    return unary<F, F, RoundFloat<F, Rounding::down>>;
  case Rounding::up:
    return unary<F, F, RoundFloat<F, Rounding::up>>;
  }
  return nullptr;
}

LaneFunction integer_to_integer(Type to, Type from) {
  LaneFunction f = nullptr;
  with_conversion_type(from, [&](auto source) {
    with_conversion_type(to, [&](auto result) {
      using I = decltype(source);
      using R = decltype(result);
      f = unary<R, I, Convert<R, I>>;
    });
  });
  return f;
}

LaneFunction float_to_integer(Type to, Type from, Rounding rounding) {
  LaneFunction f = nullptr;
  with_conversion_type(to, [&](auto result) {
    using R = decltype(result);
    f = from == Type::f32 ? float_to_integer<R, float>(rounding) : float_to_integer<R, double>(rounding);
  });
  return f;
}

LaneFunction integer_to_float(Type to, Type from) {
  LaneFunction f = nullptr;
  with_conversion_type(from, [&](auto source) {
    using I = decltype(source);
    f = to == Type::f32 ? LaneFunction(unary<float, I, Convert<float, I>>)
                        : LaneFunction(unary<double, I, Convert<double, I>>);
  });
  return f;
}

LaneFunction float_to_float(Type to, Type from, const InstructionForm& form) {
  if (to == from) {
    const auto rounding = integral_rounding(form);
    if (!rounding)
      return to == Type::f32 ? copy_function(Pool::word) : copy_function(Pool::longword);
    return to == Type::f32 ? rounded_float<float>(*rounding) : rounded_float<double>(*rounding);
  }
  return to == Type::f32 ? LaneFunction(unary<float, double, Convert<float, double>>)
                         : LaneFunction(unary<double, float, Convert<double, float>>);
}

bool is_plain_float(Type type) { return type == Type::f32 || type == Type::f64; }

// Host conversions round to nearest even; other roundings agree only where the result is exact.
bool rounds_to_nearest_or_exact(const InstructionForm& form, Type to, Type from) {
  const bool other = form.has(Modifier::rz) || form.has(Modifier::rm) || form.has(Modifier::rp);
  const bool exact = to == Type::f64 && (from == Type::f32 || ptx::size_bytes(from) <= 4);
  return !other || exact;
}

LaneFunction conversion_function(const InstructionForm& form) {
  const Type to = form.types[0], from = form.types[1];
  if (!is_plain_float(to) && !is_plain_float(from))
    return integer_to_integer(to, from);
  if (!is_plain_float(to)) {
    const auto rounding = integral_rounding(form);
    return rounding ? float_to_integer(to, from, *rounding) : nullptr;
  }
  if (!rounds_to_nearest_or_exact(form, to, from))
    return nullptr;
  return is_plain_float(from) ? float_to_float(to, from, form) : integer_to_float(to, from);
}

AdvanceRule conversion_rule(Type to, Type from) {
  if (is_plain_float(to) || is_plain_float(from) || ptx::size_bytes(from) < 4 || ptx::size_bytes(to) < 4)
    return AdvanceRule::constant;
  return ptx::size_bytes(to) > ptx::size_bytes(from) ? AdvanceRule::widen : AdvanceRule::linear;
}

std::optional<Selection> select_cvt(const InstructionForm& form) {
  if (form.type_count != 2 || form.has(Modifier::sat) || form.has(Modifier::ftz))
    return std::nullopt;
  Selection s;
  s.apply = conversion_function(form);
  if (s.apply == nullptr)
    return std::nullopt;
  s.rule = conversion_rule(form.types[0], form.types[1]);
  s.result = form.types[0];
  s.sources = {form.types[1], Type::none, Type::none, Type::none};
  s.source_count = 1;
  return s;
}

} // namespace

std::optional<Selection> select_conversion(const InstructionForm& form) {
  if (form.opcode == Opcode::cvt)
    return select_cvt(form);
  // cvta is the identity: our state spaces lie in one flat address space (memory_map.h).
  if ((form.opcode != Opcode::mov && form.opcode != Opcode::cvta) || form.type_count != 1)
    return std::nullopt;
  const Pool pool = pool_of(form.type());
  if (pool == Pool::none)
    return std::nullopt;
  Selection s;
  s.apply = copy_function(pool);
  s.rule = AdvanceRule::linear;
  s.result = form.type();
  s.sources.fill(form.type());
  s.source_count = 1;
  return s;
}

} // namespace kerncast::warp
