// dp4a, dp2a: sums of four or two products of small integers, and mad.hi.sat.s32 and mad24.hi.sat.s32 (PTX
// ISA, section 9.7.1, integer arithmetic).
#include <algorithm>
#include <limits>

#include "lane_loops.h"
#include "select_operation.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

// A part of a register, `bits` wide, as a number; A says whether it has a sign.
template <class A, U32 bits> std::int64_t part(A word, U32 number) {
  const auto cut = static_cast<U32>(word) << (32 - bits * (number + 1));
  return static_cast<std::int64_t>(static_cast<A>(cut) >> (32 - bits));
}

template <class A, class B> struct FourProducts {
  U32 operator()(A a, B b, U32 c) const {
    for (U32 k = 0; k < 4; ++k)
      c += static_cast<U32>(part<A, 8>(a, k) * part<B, 8>(b, k));
    return c;
  }
};
// The halves of a times two bytes of b: the lower ones, or with .hi the upper ones.
template <class A, class B, bool upper> struct TwoProducts {
  U32 operator()(A a, B b, U32 c) const {
    for (U32 k = 0; k < 2; ++k)
      c += static_cast<U32>(part<A, 16>(a, k) * part<B, 8>(b, k + (upper ? 2 : 0)));
    return c;
  }
};
// The upper 32 bits of the product of the low 32 or 24 bits, and c.
template <U32 bits> struct SaturatedUpperProductSum {
  std::int32_t operator()(std::int32_t a, std::int32_t b, std::int32_t c) const {
    using Limits = std::numeric_limits<std::int32_t>;
    const std::int64_t product = part<std::int32_t, bits>(a, 0) * part<std::int32_t, bits>(b, 0);
    const std::int64_t sum = (product >> (2 * bits - 32)) + c;
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(sum, Limits::min(), Limits::max()));
  }
};

template <class A, class B> LaneFunction dot_function(const InstructionForm& form) {
  if (form.opcode == Opcode::dp4a)
    return ternary<U32, A, B, U32, FourProducts<A, B>>;
  return form.has(Modifier::hi) ? ternary<U32, A, B, U32, TwoProducts<A, B, true>>
                                : ternary<U32, A, B, U32, TwoProducts<A, B, false>>;
}

template <class A> LaneFunction dot_function(const InstructionForm& form) {
  return form.types[1] == Type::s32 ? dot_function<A, std::int32_t>(form) : dot_function<A, U32>(form);
}

} // namespace

std::optional<Selection> select_dot_product(const InstructionForm& form) {
  using S32 = std::int32_t;
  const bool is_dot = (form.opcode == Opcode::dp4a || form.opcode == Opcode::dp2a) && form.type_count == 2;
  const bool is_saturating = (form.opcode == Opcode::mad || form.opcode == Opcode::mad24) &&
                             form.has(Modifier::sat) && form.has(Modifier::hi) && form.type() == Type::s32;
  if (!is_dot && !is_saturating)
    return std::nullopt;
  Selection s;
  if (is_saturating)
    s.apply = form.opcode == Opcode::mad ? ternary<S32, S32, S32, S32, SaturatedUpperProductSum<32>>
                                         : ternary<S32, S32, S32, S32, SaturatedUpperProductSum<24>>;
  else
    s.apply = form.types[0] == Type::s32 ? dot_function<S32>(form) : dot_function<U32>(form);
  s.result = Type::b32;
  s.sources.fill(Type::b32);
  s.source_count = 3;
  return s;
}

} // namespace kerncast::warp
