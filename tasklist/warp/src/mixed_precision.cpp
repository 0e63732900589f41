// add, sub and fma of f16 or bf16 with f32 (PTX ISA, section 9.7.5, mixed precision), and add, sub, mul and
// fma on pairs of f32 (section 9.7.3, .f32x2).
//
// Sums are those of doubles, in which products are exact, rounded to odd and so rounded once; the directed
// roundings are the host's, which may round twice the same way. A NaN is the canonical one.
#include <cmath>

#include "float_format.h"
#include "host_rounding.h"
#include "lane_loops.h"
#include "round_to_odd.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;
using U64 = std::uint64_t;

constexpr U32 canonical_nan = 0x7fffffff;

template <bool nearest> float rounded_sum(double a, double b) {
  return static_cast<float>(nearest ? sum_to_odd(a, b) : a + b);
}
float clamped(float a) { return a > 0 ? (a < 1 ? a : 1.0F) : 0.0F; }
U32 bits_of(float a) { return std::isnan(a) ? canonical_nan : std::bit_cast<U32>(a); }

// A half is one of two formats of 16 bits.
template <bool is_bfloat> double half(U32 bits) {
  return widen_half(static_cast<std::uint16_t>(bits), is_bfloat ? bf16_format : f16_format);
}
template <bool is_bfloat, bool nearest, bool clamps, int sign> struct HalfAndSingle {
  U32 operator()(U32 a, float c) const {
    const float sum = rounded_sum<nearest>(half<is_bfloat>(a), sign * double{c});
    return bits_of(clamps ? clamped(sum) : sum);
  }
  U32 operator()(U32 a, U32 b, float c) const {
    const float sum = rounded_sum<nearest>(half<is_bfloat>(a) * half<is_bfloat>(b), c);
    return bits_of(clamps ? clamped(sum) : sum);
  }
};

template <bool is_bfloat, bool nearest, bool clamps> LaneFunction mixed_function(Opcode opcode) {
  switch (opcode) {
  case Opcode::add:
    return binary<U32, U32, float, HalfAndSingle<is_bfloat, nearest, clamps, 1>>;
  case Opcode::sub:
    return binary<U32, U32, float, HalfAndSingle<is_bfloat, nearest, clamps, -1>>;
  case Opcode::fma:
    return ternary<U32, U32, U32, float, HalfAndSingle<is_bfloat, nearest, clamps, 1>>;
  default:
    return nullptr;
  }
}
template <bool is_bfloat, bool nearest> LaneFunction mixed_function(const InstructionForm& form) {
  return form.has(Modifier::sat) ? mixed_function<is_bfloat, nearest, true>(form.opcode)
                                 : mixed_function<is_bfloat, nearest, false>(form.opcode);
}
template <bool nearest> LaneFunction mixed_function(const InstructionForm& form) {
  return form.types[1] == Type::bf16 ? mixed_function<true, nearest>(form)
                                     : mixed_function<false, nearest>(form);
}

// The operations of a pair, on one of the two.
enum class PairOperation : std::uint8_t { add, sub, mul, fma };
template <PairOperation operation, bool nearest> float single_result(double a, double b, double c) {
  if (operation == PairOperation::add || operation == PairOperation::sub)
    return rounded_sum<nearest>(a, operation == PairOperation::add ? b : -b);
  if (operation == PairOperation::mul)
    return static_cast<float>(a * b);
  return rounded_sum<nearest>(a * b, c);
}

template <PairOperation operation, bool nearest, bool flushes> struct Pair {
  static float flushed(float a) { return flushes && std::fabs(a) < 0x1p-126F ? std::copysign(0.0F, a) : a; }
  static double part(U64 pair, U32 by) { return flushed(std::bit_cast<float>(static_cast<U32>(pair >> by))); }
  U64 operator()(U64 a, U64 b, U64 c = 0) const {
    U64 result = 0;
    for (const U32 by : {0U, 32U}) {
      const float one = single_result<operation, nearest>(part(a, by), part(b, by), part(c, by));
      result |= U64{bits_of(flushed(one))} << by;
    }
    return result;
  }
};

template <bool nearest, bool flushes> LaneFunction pair_function(Opcode opcode) {
  switch (opcode) {
  case Opcode::add:
    return binary<U64, U64, U64, Pair<PairOperation::add, nearest, flushes>>;
  case Opcode::sub:
    return binary<U64, U64, U64, Pair<PairOperation::sub, nearest, flushes>>;
  case Opcode::mul:
    return binary<U64, U64, U64, Pair<PairOperation::mul, nearest, flushes>>;
  case Opcode::fma:
    return ternary<U64, U64, U64, U64, Pair<PairOperation::fma, nearest, flushes>>;
  default:
    return nullptr;
  }
}
template <bool nearest> LaneFunction pair_function(const InstructionForm& form) {
  return form.has(Modifier::ftz) ? pair_function<nearest, true>(form.opcode)
                                 : pair_function<nearest, false>(form.opcode);
}

bool is_mixed(const InstructionForm& form) {
  return form.type_count == 2 && form.types[0] == Type::f32 &&
         (form.types[1] == Type::f16 || form.types[1] == Type::bf16);
}
bool is_pair(const InstructionForm& form) { return form.type_count == 1 && form.type() == Type::f32x2; }

} // namespace

std::optional<Selection> select_mixed_precision(const InstructionForm& form) {
  if (!is_mixed(form) && !is_pair(form))
    return std::nullopt;
  const int rounding = host_rounding(form);
  const bool nearest = rounding == FE_TONEAREST;
  Selection s;
  if (is_pair(form))
    s.apply = nearest ? pair_function<true>(form) : pair_function<false>(form);
  else
    s.apply = nearest ? mixed_function<true>(form) : mixed_function<false>(form);
  if (s.apply == nullptr)
    return std::nullopt;
  set_rounding(s, rounding);
  s.source_count = form.opcode == Opcode::fma ? 3 : 2;
  s.result = form.types[0];
  s.sources.fill(is_pair(form) ? Type::f32x2 : form.types[1]);
  if (is_mixed(form))
    s.sources[s.source_count - 1U] = Type::f32;
  return s;
}

} // namespace kerncast::warp
