// Integer add, sub, min, max, abs, neg, sad, div, rem (PTX ISA, section 9.7.1, integer arithmetic).
//
// Sums and differences of s32 may saturate, and sums of u32. Carries (.cc, addc, subc) are in carries.cpp.
#include "lane_loops.h"
#include "select_operation.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

template <class T> struct Add {
  T operator()(T a, T b) const { return static_cast<T>(Wrapping<T>(a) + Wrapping<T>(b)); }
};
template <class T> struct Subtract {
  T operator()(T a, T b) const { return static_cast<T>(Wrapping<T>(a) - Wrapping<T>(b)); }
};
template <class T> struct SaturatingAdd {
  T operator()(T a, T b) const { return saturated<T>(std::int64_t{a} + b); }
};
template <class T> struct SaturatingSubtract {
  T operator()(T a, T b) const { return saturated<T>(std::int64_t{a} - b); }
};
template <class T> struct Minimum {
  T operator()(T a, T b) const { return a < b ? a : b; }
};
template <class T> struct Maximum {
  T operator()(T a, T b) const { return a > b ? a : b; }
};
template <class T> struct Negate {
  T operator()(T a) const { return static_cast<T>(Wrapping<T>(0) - Wrapping<T>(a)); }
};
// abs of the most negative value is that value again.
template <class T> struct Absolute {
  T operator()(T a) const { return a < T{0} ? Negate<T>{}(a) : a; }
};
// d = c + |a - b|
template <class T> struct SumOfAbsoluteDifference {
  T operator()(T a, T b, T c) const {
    const T difference = a < b ? Subtract<T>{}(b, a) : Subtract<T>{}(a, b);
    return Add<T>{}(c, difference);
  }
};

// The quotient or remainder of a division by zero is unspecified: those lanes become unknown; NVIDIA's
// devices give all ones and the dividend. The most negative value divided by -1 wraps.
template <class T, bool remainder> void divide(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  using Word = BitsOf<T>;
  const auto& a = file.lanes<Word>(op.sources[0].index);
  const auto& b = file.lanes<Word>(op.sources[1].index);
  auto& d = file.lanes<Word>(destination);
  LaneMask known = file.lanes_known<Word>(op.sources[0].index) & file.lanes_known<Word>(op.sources[1].index);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
    const T x = from_bits<T>(a[i]);
    const T y = from_bits<T>(b[i]);
    if (y == 0) {
      known &= ~(LaneMask{1} << i);
      d[i] = remainder ? a[i] : to_bits<T>(static_cast<T>(~T{0}));
    } else if (std::is_signed_v<T> && y == static_cast<T>(-1)) {
      d[i] = remainder ? 0 : to_bits<T>(Negate<T>{}(x));
    } else {
      d[i] = to_bits<T>(static_cast<T>(remainder ? x % y : x / y));
    }
  }
  file.lanes_known<Word>(destination) = known;
}

template <class T> LaneFunction arithmetic_function(Opcode opcode) {
  switch (opcode) {
  case Opcode::add:
    return binary<T, T, T, Add<T>>;
  case Opcode::sub:
    return binary<T, T, T, Subtract<T>>;
  case Opcode::min:
    return binary<T, T, T, Minimum<T>>;
  case Opcode::max:
    return binary<T, T, T, Maximum<T>>;
  case Opcode::div:
    return divide<T, false>;
  case Opcode::rem:
    return divide<T, true>;
  case Opcode::neg:
    return unary<T, T, Negate<T>>;
  case Opcode::abs:
    return unary<T, T, Absolute<T>>;
  case Opcode::sad:
    return ternary<T, T, T, T, SumOfAbsoluteDifference<T>>;
  default:
    return nullptr;
  }
}

std::uint8_t integer_source_count(Opcode opcode) {
  if (opcode == Opcode::neg || opcode == Opcode::abs)
    return 1;
  return opcode == Opcode::sad ? 3 : 2;
}

AdvanceRule arithmetic_rule(Opcode opcode, Type type) {
  if (ptx::size_bytes(type) < 4)
    return AdvanceRule::constant; // wraps at 16 bits, where advance works on whole words
  switch (opcode) {
  case Opcode::add:
  case Opcode::sub:
  case Opcode::neg:
    return AdvanceRule::linear;
  case Opcode::min:
  case Opcode::max:
    return AdvanceRule::compare;
  default:
    return AdvanceRule::constant;
  }
}

std::optional<Selection> select_saturating(const InstructionForm& form) {
  using S32 = std::int32_t;
  Selection s;
  if (form.opcode == Opcode::add && form.type() == Type::s32)
    s.apply = binary<S32, S32, S32, SaturatingAdd<S32>>;
  else if (form.opcode == Opcode::add && form.type() == Type::u32)
    s.apply = binary<U32, U32, U32, SaturatingAdd<U32>>;
  else if (form.opcode == Opcode::sub && form.type() == Type::s32)
    s.apply = binary<S32, S32, S32, SaturatingSubtract<S32>>;
  else
    return std::nullopt;
  s.result = form.type();
  s.sources.fill(form.type());
  s.source_count = 2;
  return s;
}

} // namespace

std::optional<Selection> select_arithmetic(const InstructionForm& form) {
  if (form.type_count != 1 || form.has(Modifier::cc) || form.has(Modifier::relu))
    return std::nullopt;
  if (form.has(Modifier::sat))
    return select_saturating(form);
  Selection s;
  with_integer_type(form.type(),
                    [&](auto zero) { s.apply = arithmetic_function<decltype(zero)>(form.opcode); });
  if (s.apply == nullptr)
    return std::nullopt;
  s.rule = arithmetic_rule(form.opcode, form.type());
  s.result = form.type();
  s.sources.fill(form.type());
  s.source_count = integer_source_count(form.opcode);
  return s;
}

} // namespace kerncast::warp
