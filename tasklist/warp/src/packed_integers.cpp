// add, sub, min, max and neg on two 16-bit or four 8-bit integers in one register, and min and max with .relu
// (PTX ISA, section 9.7.1, integer arithmetic); cvt.pack, which makes such pairs and narrower ones (section
// 9.7.9).
#include <algorithm>
#include <type_traits>

#include "lane_loops.h"
#include "select_operation.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

struct PackedSum {
  template <class T> T operator()(T a, T b) const {
    return static_cast<T>(static_cast<U32>(a) + static_cast<U32>(b));
  }
};
struct PackedDifference {
  template <class T> T operator()(T a, T b) const {
    return static_cast<T>(static_cast<U32>(a) - static_cast<U32>(b));
  }
};
struct PackedLeast {
  template <class T> T operator()(T a, T b) const { return std::min(a, b); }
};
struct PackedGreatest {
  template <class T> T operator()(T a, T b) const { return std::max(a, b); }
};
// .relu: a negative result becomes zero.
template <class F> struct Clipped {
  template <class T> T operator()(T a, T b) const { return std::max(F{}(a, b), T{0}); }
};
// .sat: the exact result, which an int holds, to the range of T.
template <class F> struct Saturated {
  template <class T> T operator()(T a, T b) const { return saturated<T>(F{}(int{a}, int{b})); }
};

// T: one of the integers, with or without a sign.
template <class T, class F> struct Parts {
  U32 operator()(U32 a, U32 b) const {
    U32 result = 0;
    for (U32 by = 0; by < 32; by += 8 * sizeof(T)) {
      const T part = F{}(static_cast<T>(a >> by), static_cast<T>(b >> by));
      result |= U32{static_cast<std::make_unsigned_t<T>>(part)} << by;
    }
    return result;
  }
};
struct NegatedBytes {
  U32 operator()(U32 a) const { return Parts<std::int8_t, PackedDifference>{}(0, a); }
};

template <class T, class F> LaneFunction function_of_parts(const InstructionForm& form) {
  if (form.has(Modifier::sat))
    return binary<U32, U32, U32, Parts<T, Saturated<F>>>;
  return form.has(Modifier::relu) ? binary<U32, U32, U32, Parts<T, Clipped<F>>>
                                  : binary<U32, U32, U32, Parts<T, F>>;
}

template <class F> LaneFunction packed_function(const InstructionForm& form) {
  using S32 = std::int32_t;
  if (form.has(Modifier::u16x2))
    return function_of_parts<std::uint16_t, F>(form);
  if (form.has(Modifier::s16x2))
    return function_of_parts<std::int16_t, F>(form);
  if (form.has(Modifier::u8x4))
    return function_of_parts<std::uint8_t, F>(form);
  if (form.has(Modifier::s8x4))
    return function_of_parts<std::int8_t, F>(form);
  return form.has(Modifier::relu) && form.type() == Type::s32 ? binary<S32, S32, S32, Clipped<F>> : nullptr;
}

// cvt.pack.sat.T.s32{.b32} d, a, b{, c}: a above b, each limited to T, and the low bits of c above both.
// MicroOp::immediate is the lane format.
struct Narrow {
  Modifier name{};
  U32 bits = 0;
  bool is_signed = false;
};
constexpr Narrow narrow_types[] = {
    {Modifier::u16, 16, false}, {Modifier::s16, 16, true}, {Modifier::u8, 8, false}, {Modifier::s8, 8, true},
    {Modifier::u4, 4, false},   {Modifier::s4, 4, true},   {Modifier::u2, 2, false}, {Modifier::s2, 2, true}};

U32 limited(U32 word, const Narrow& type) {
  const std::int64_t lowest = type.is_signed ? -(std::int64_t{1} << (type.bits - 1)) : 0;
  const std::int64_t highest = lowest + (std::int64_t{1} << type.bits) - 1;
  const std::int64_t value = std::clamp<std::int64_t>(static_cast<std::int32_t>(word), lowest, highest);
  return static_cast<U32>(value) & ((U32{1} << type.bits) - 1);
}

void pack_narrow(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const Narrow& type = narrow_types[op.immediate];
  const auto& a = file.lanes<U32>(op.sources[0].index);
  const auto& b = file.lanes<U32>(op.sources[1].index);
  const bool has_rest = op.source_count > 2;
  const auto& c = file.lanes<U32>(op.sources[has_rest ? 2 : 0].index);
  auto& d = file.lanes<U32>(destination);
  LaneMask known = file.lanes_known<U32>(op.sources[0].index) & file.lanes_known<U32>(op.sources[1].index);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    d[i] = limited(a[i], type) << type.bits | limited(b[i], type) | (has_rest ? c[i] << 2 * type.bits : 0);
  if (has_rest)
    known &= file.lanes_known<U32>(op.sources[2].index);
  file.lanes_known<U32>(destination) = known;
}

std::optional<Selection> select_pack(const InstructionForm& form) {
  if (form.modifiers.size() < 3 || form.modifiers[0] != Modifier::pack)
    return std::nullopt;
  const auto* type = std::find_if(std::begin(narrow_types), std::end(narrow_types),
                                  [&](const Narrow& n) { return n.name == form.modifiers[2]; });
  if (type == std::end(narrow_types))
    return std::nullopt;
  Selection s;
  s.apply = pack_narrow;
  s.immediate = static_cast<U32>(type - std::begin(narrow_types));
  s.result = Type::b32;
  s.sources.fill(Type::b32);
  s.source_count = type->bits == 16 ? 2 : 3;
  return s;
}

} // namespace

std::optional<Selection> select_packed_integers(const InstructionForm& form) {
  if (form.opcode == Opcode::cvt)
    return select_pack(form);
  Selection s;
  if (form.opcode == Opcode::add)
    s.apply = packed_function<PackedSum>(form);
  else if (form.opcode == Opcode::sub)
    s.apply = packed_function<PackedDifference>(form);
  else if (form.opcode == Opcode::min)
    s.apply = packed_function<PackedLeast>(form);
  else if (form.opcode == Opcode::max)
    s.apply = packed_function<PackedGreatest>(form);
  else if (form.opcode == Opcode::neg && form.has(Modifier::s8x4))
    s.apply = unary<U32, U32, NegatedBytes>;
  if (s.apply == nullptr)
    return std::nullopt;
  s.result = Type::b32;
  s.sources.fill(Type::b32);
  s.source_count = form.opcode == Opcode::neg ? 1 : 2;
  return s;
}

} // namespace kerncast::warp
