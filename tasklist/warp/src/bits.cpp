// Logic and shifts on integers and predicates: and, or, xor, not, cnot, lop3, shl, shr, shf, and selections
// by a predicate (PTX ISA, sections 9.7.8 logic and shift, 9.7.7 selp).
#include "lane_loops.h"
#include "select_operation.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

template <class T> struct And {
  T operator()(T a, T b) const { return static_cast<T>(a & b); }
};
template <class T> struct Or {
  T operator()(T a, T b) const { return static_cast<T>(a | b); }
};
template <class T> struct Xor {
  T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};
template <class T> struct Not {
  T operator()(T a) const { return static_cast<T>(~a); }
};
template <class T> struct LogicalNot {
  T operator()(T a) const { return a == 0 ? T{1} : T{0}; }
};
// Shifts by the width or more give 0, or all sign bits.
template <class T> struct ShiftLeft {
  T operator()(T a, std::uint32_t by) const {
    return by >= 8 * sizeof(T) ? T{0} : static_cast<T>(Wrapping<T>(a) << by);
  }
};
template <class T> struct ShiftRight {
  T operator()(T a, std::uint32_t by) const {
    constexpr std::uint32_t width = 8 * sizeof(T);
    if (by < width)
      return static_cast<T>(a >> by);
    return std::is_signed_v<T> && a < 0 ? static_cast<T>(-1) : T{0};
  }
};
// {b, a} as 64 bits: .l takes the high word after a left shift, .r the low word after a right shift.
template <bool left, bool clamp> struct Funnel {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    const std::uint32_t by = clamp ? (c < 32 ? c : 32) : (c & 31);
    const std::uint64_t both = std::uint64_t{b} << 32 | a;
    return static_cast<std::uint32_t>(left ? (both << by) >> 32 : both >> by);
  }
};

// The truth table's bit number (a, b, c), for every bit.
std::uint32_t look_up(std::uint32_t table, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t result = 0;
  for (std::uint32_t row = 0; row < 8; ++row)
    if ((table >> row & 1) != 0)
      result |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
  return result;
}

void lop3(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const auto& a = file.lanes<std::uint32_t>(op.sources[0].index);
  const auto& b = file.lanes<std::uint32_t>(op.sources[1].index);
  const auto& c = file.lanes<std::uint32_t>(op.sources[2].index);
  auto& d = file.lanes<std::uint32_t>(destination);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    d[i] = look_up(op.immediate, a[i], b[i], c[i]);
  file.lanes_known<std::uint32_t>(destination) = file.lanes_known<std::uint32_t>(op.sources[0].index) &
                                                 file.lanes_known<std::uint32_t>(op.sources[1].index) &
                                                 file.lanes_known<std::uint32_t>(op.sources[2].index);
}

} // namespace

// One side can decide alone, as below.
void truth_of_table(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const auto& a = file.lanes<std::uint32_t>(op.sources[0].index);
  const auto& b = file.lanes<std::uint32_t>(op.sources[1].index);
  const auto& c = file.lanes<std::uint32_t>(op.sources[2].index);
  const LaneMask q = file.predicate(op.sources[3].index), kq = file.predicate_known(op.sources[3].index);
  LaneMask truth = 0;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    truth |= look_up(op.immediate, a[i], b[i], c[i]) != 0 ? LaneMask{1} << i : 0;
  LaneMask known = file.lanes_known<std::uint32_t>(op.sources[0].index) &
                   file.lanes_known<std::uint32_t>(op.sources[1].index) &
                   file.lanes_known<std::uint32_t>(op.sources[2].index);
  const bool is_or = (op.immediate & table_or) != 0;
  const LaneMask decided = is_or ? (known & truth) | (kq & q) : (known & ~truth) | (kq & ~q);
  file.predicate(destination) = is_or ? truth | q | decided : truth & q & ~decided;
  file.predicate_known(destination) = (known & kq) | decided;
}

namespace {

// Predicates: one side can decide alone (false and unknown = false), so bounds checks beside tests of
// unknown data stay known where they fail.
void predicate_and(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const LaneMask a = file.predicate(op.sources[0].index), b = file.predicate(op.sources[1].index);
  const LaneMask ka = file.predicate_known(op.sources[0].index);
  const LaneMask kb = file.predicate_known(op.sources[1].index);
  file.predicate(destination) = a & b;
  file.predicate_known(destination) = (ka & kb) | (ka & ~a) | (kb & ~b);
  file.predicate(destination) &= ~((ka & ~a) | (kb & ~b));
}
void predicate_or(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const LaneMask a = file.predicate(op.sources[0].index), b = file.predicate(op.sources[1].index);
  const LaneMask ka = file.predicate_known(op.sources[0].index);
  const LaneMask kb = file.predicate_known(op.sources[1].index);
  file.predicate(destination) = a | b | (ka & a) | (kb & b);
  file.predicate_known(destination) = (ka & kb) | (ka & a) | (kb & b);
}
void predicate_xor(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const LaneMask known =
      file.predicate_known(op.sources[0].index) & file.predicate_known(op.sources[1].index);
  file.predicate(destination) = file.predicate(op.sources[0].index) ^ file.predicate(op.sources[1].index);
  file.predicate_known(destination) = known;
}
void predicate_not(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const LaneMask known = file.predicate_known(op.sources[0].index);
  file.predicate(destination) = ~file.predicate(op.sources[0].index);
  file.predicate_known(destination) = known;
}

// d = p ? a : b. With p unknown the result is unknown unless both sides agree.
template <class Word> void select(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const auto& a = file.lanes<Word>(op.sources[0].index);
  const auto& b = file.lanes<Word>(op.sources[1].index);
  const LaneMask ka = file.lanes_known<Word>(op.sources[0].index);
  const LaneMask kb = file.lanes_known<Word>(op.sources[1].index);
  const LaneMask p = file.predicate(op.sources[2].index);
  const LaneMask kp = file.predicate_known(op.sources[2].index);
  auto& d = file.lanes<Word>(destination);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    d[i] = (p >> i & 1) != 0 ? a[i] : b[i];
  file.lanes_known<Word>(destination) = kp & ((p & ka) | (~p & kb));
}

template <class T> LaneFunction bits_function(Opcode opcode) {
  using U = std::make_unsigned_t<T>;
  switch (opcode) {
  case Opcode::and_:
    return binary<U, U, U, And<U>>;
  case Opcode::or_:
    return binary<U, U, U, Or<U>>;
  case Opcode::xor_:
    return binary<U, U, U, Xor<U>>;
  case Opcode::not_:
    return unary<U, U, Not<U>>;
  case Opcode::cnot:
    return unary<U, U, LogicalNot<U>>;
  case Opcode::shl:
    return binary<U, U, std::uint32_t, ShiftLeft<U>>;
  case Opcode::shr:
    return binary<T, T, std::uint32_t, ShiftRight<T>>;
  case Opcode::selp:
    return select<BitsOf<T>>;
  default:
    return nullptr;
  }
}

LaneFunction predicate_function_for(Opcode opcode) {
  switch (opcode) {
  case Opcode::and_:
    return predicate_and;
  case Opcode::or_:
    return predicate_or;
  case Opcode::xor_:
    return predicate_xor;
  case Opcode::not_:
    return predicate_not;
  default:
    return nullptr;
  }
}

LaneFunction funnel_for(const InstructionForm& form) {
  const bool clamp = form.has(Modifier::clamp);
  if (form.has(Modifier::l))
    return clamp ? ternary<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, Funnel<true, true>>
                 : ternary<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, Funnel<true, false>>;
  return clamp ? ternary<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, Funnel<false, true>>
               : ternary<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, Funnel<false, false>>;
}

Selection three_words(LaneFunction apply) {
  return {apply, AdvanceRule::constant, Type::b32, {Type::b32, Type::b32, Type::b32, Type::none}, 3, 0};
}

AdvanceRule bits_rule(Opcode opcode, Type type) {
  if (opcode == Opcode::selp)
    return AdvanceRule::linear;
  if (ptx::size_bytes(type) < 4)
    return AdvanceRule::constant;
  // ~a = -a - 1 is affine; a << b is a product with 2^b.
  if (opcode == Opcode::not_)
    return AdvanceRule::linear;
  return opcode == Opcode::shl ? AdvanceRule::shift : AdvanceRule::constant;
}

bool is_unary(Opcode opcode) { return opcode == Opcode::not_ || opcode == Opcode::cnot; }

std::optional<Selection> select_predicate_logic(const InstructionForm& form) {
  Selection s;
  s.apply = predicate_function_for(form.opcode);
  if (s.apply == nullptr)
    return std::nullopt;
  s.rule = AdvanceRule::linear; // predicates keep their values while comparisons keep their order
  s.result = Type::pred;
  s.sources.fill(Type::pred);
  s.source_count = is_unary(form.opcode) ? 1 : 2;
  return s;
}

// selp moves bits, so float types are read as the integers of their width.
Type bits_type(const InstructionForm& form) {
  if (form.opcode == Opcode::selp && form.type() == Type::f32)
    return Type::b32;
  if (form.opcode == Opcode::selp && form.type() == Type::f64)
    return Type::b64;
  return form.type();
}

} // namespace

std::optional<Selection> select_bits(const InstructionForm& form) {
  if (form.type_count != 1)
    return std::nullopt;
  if (form.opcode == Opcode::lop3)
    return three_words(lop3);
  if (form.opcode == Opcode::shf)
    return three_words(funnel_for(form));
  if (form.type() == Type::pred)
    return select_predicate_logic(form);
  Selection s;
  const Type type = bits_type(form);
  with_integer_type(type, [&](auto zero) { s.apply = bits_function<decltype(zero)>(form.opcode); });
  if (s.apply == nullptr)
    return std::nullopt;
  const bool shift = form.opcode == Opcode::shl || form.opcode == Opcode::shr;
  s.rule = bits_rule(form.opcode, type);
  s.result = type;
  s.sources = {type, shift ? Type::u32 : type, Type::pred, Type::none};
  s.source_count = is_unary(form.opcode) ? 1 : form.opcode == Opcode::selp ? 3 : 2;
  return s;
}

} // namespace kerncast::warp
