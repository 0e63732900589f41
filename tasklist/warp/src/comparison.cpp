// setp, set, slct (PTX ISA, section 9.7.7, comparison and selection).
#include <cmath>

#include "float_format.h"
#include "lane_loops.h"
#include "relation.h"
#include "select_operation.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

template <class T, Relation relation> bool holds(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    const bool unordered = std::isnan(a) || std::isnan(b);
    switch (relation) {
    case Relation::ne:
      return !unordered && a != b;
    case Relation::equ:
      return unordered || a == b;
    case Relation::neu:
      return unordered || a != b;
    case Relation::ltu:
      return unordered || a < b;
    case Relation::leu:
      return unordered || a <= b;
    case Relation::gtu:
      return unordered || a > b;
    case Relation::geu:
      return unordered || a >= b;
    case Relation::num:
      return !unordered;
    case Relation::nan:
      return unordered;
    default:
      break;
    }
  }
  return holds_in_order(relation, a, b);
}

struct Truth {
  LaneMask value = 0;
  LaneMask known = 0;
};

Truth combine(LaneFile& file, const MicroOp& op, Truth t) {
  if ((op.immediate & inverted_comparison) != 0)
    t.value = ~t.value;
  const std::uint32_t how = op.immediate & 3;
  if (how == compare_alone)
    return t;
  const LaneMask flip = op.source2_negated ? all_lanes : 0;
  const LaneMask c = file.predicate(op.sources[2].index) ^ flip;
  const LaneMask kc = file.predicate_known(op.sources[2].index);
  const LaneMask both = t.known & kc;
  if (how == compare_xor)
    return {t.value ^ c, both};
  // One known side decides alone: false for and, true for or.
  const LaneMask decided =
      how == compare_and ? (t.known & ~t.value) | (kc & ~c) : (t.known & t.value) | (kc & c);
  return {how == compare_and ? t.value & c & ~decided : t.value | c | decided, both | decided};
}

// How the bits of an operand are read: as a T, under .ftz, or as one half of a register. A half is exact as a
// double.
template <class T> struct Whole {
  using Word = BitsOf<T>;
  using Value = T;
  static T read(Word bits, std::uint32_t) { return from_bits<T>(bits); }
};
struct Single {
  using Word = std::uint32_t;
  using Value = float;
  static float read(Word bits, std::uint32_t how) {
    const auto value = std::bit_cast<float>(bits);
    return (how & compare_flushed) != 0 && std::fabs(value) < 0x1p-126F ? 0.0F : value;
  }
};
template <bool is_bfloat> struct HalfOf {
  using Word = std::uint32_t;
  using Value = double;
  static double read(Word bits, std::uint32_t how) {
    const auto half = static_cast<std::uint16_t>((how & compare_upper_halves) != 0 ? bits >> 16 : bits);
    const double value = widen_half(half, is_bfloat ? bf16_format : f16_format);
    return (how & compare_flushed) != 0 && std::fabs(value) < 0x1p-14 ? 0.0 : value;
  }
};

template <class Operand, Relation relation>
Truth compare(LaneFile& file, const MicroOp& op, std::uint32_t how) {
  using Word = typename Operand::Word;
  const auto& a = file.lanes<Word>(op.sources[0].index);
  const auto& b = file.lanes<Word>(op.sources[1].index);
  LaneMask bits = 0;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    bits |= holds<typename Operand::Value, relation>(Operand::read(a[i], how), Operand::read(b[i], how))
                ? LaneMask{1} << i
                : LaneMask{0};
  return {bits, file.lanes_known<Word>(op.sources[0].index) & file.lanes_known<Word>(op.sources[1].index)};
}

template <class Operand, Relation relation>
void set_predicate(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const Truth t = combine(file, op, compare<Operand, relation>(file, op, op.immediate));
  file.predicate(destination) = t.value;
  file.predicate_known(destination) = t.known;
}

// What set writes where the comparison holds: all ones, or 1.0. MicroOp::immediate from bit 8 on says which.
constexpr std::uint32_t ones[] = {0xffffffffU, 0xffffU, 0x3f800000U, 0x3c00U, 0x3f80U};
constexpr std::uint32_t ones_shift = 8, packed_result = 1U << 12;

template <class Operand, Relation relation>
void set_word(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const std::uint32_t value_if_true = ones[op.immediate >> ones_shift & 15];
  const bool is_packed = (op.immediate & packed_result) != 0;
  const Truth t = combine(file, op, compare<Operand, relation>(file, op, op.immediate));
  Truth upper{0, all_lanes};
  if (is_packed)
    upper = combine(file, op, compare<Operand, relation>(file, op, op.immediate | compare_upper_halves));
  auto& d = file.lanes<std::uint32_t>(destination);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    d[i] = ((t.value >> i & 1) != 0 ? value_if_true : 0) |
           ((upper.value >> i & 1) != 0 ? value_if_true << 16 : 0);
  file.lanes_known<std::uint32_t>(destination) = t.known & upper.known;
}

template <class Operand, Relation relation> LaneFunction function_for(bool sets_predicate) {
  return sets_predicate ? set_predicate<Operand, relation> : set_word<Operand, relation>;
}

template <class Operand> LaneFunction function_for(Relation relation, bool sets_predicate) {
  switch (relation) {
  case Relation::eq:
    return function_for<Operand, Relation::eq>(sets_predicate);
  case Relation::ne:
    return function_for<Operand, Relation::ne>(sets_predicate);
  case Relation::lt:
    return function_for<Operand, Relation::lt>(sets_predicate);
  case Relation::le:
    return function_for<Operand, Relation::le>(sets_predicate);
  case Relation::gt:
    return function_for<Operand, Relation::gt>(sets_predicate);
  case Relation::ge:
    return function_for<Operand, Relation::ge>(sets_predicate);
  default:
    break;
  }
  if constexpr (std::is_floating_point_v<typename Operand::Value>) {
    switch (relation) {
    case Relation::equ:
      return function_for<Operand, Relation::equ>(sets_predicate);
    case Relation::neu:
      return function_for<Operand, Relation::neu>(sets_predicate);
    case Relation::ltu:
      return function_for<Operand, Relation::ltu>(sets_predicate);
    case Relation::leu:
      return function_for<Operand, Relation::leu>(sets_predicate);
    case Relation::gtu:
      return function_for<Operand, Relation::gtu>(sets_predicate);
    case Relation::geu:
      return function_for<Operand, Relation::geu>(sets_predicate);
    case Relation::num:
      return function_for<Operand, Relation::num>(sets_predicate);
    case Relation::nan:
      return function_for<Operand, Relation::nan>(sets_predicate);
    default:
      break;
    }
  }
  return nullptr;
}

// lo, ls, hi, hs are the unsigned names of lt, le, gt, ge.
std::optional<Relation> relation_of(Modifier modifier) {
  switch (modifier) {
  case Modifier::eq:
    return Relation::eq;
  case Modifier::ne:
    return Relation::ne;
  case Modifier::lt:
  case Modifier::lo:
    return Relation::lt;
  case Modifier::le:
  case Modifier::ls:
    return Relation::le;
  case Modifier::gt:
  case Modifier::hi:
    return Relation::gt;
  case Modifier::ge:
  case Modifier::hs:
    return Relation::ge;
  case Modifier::equ:
    return Relation::equ;
  case Modifier::neu:
    return Relation::neu;
  case Modifier::ltu:
    return Relation::ltu;
  case Modifier::leu:
    return Relation::leu;
  case Modifier::gtu:
    return Relation::gtu;
  case Modifier::geu:
    return Relation::geu;
  case Modifier::num:
    return Relation::num;
  case Modifier::nan:
    return Relation::nan;
  default:
    return std::nullopt;
  }
}

std::uint32_t combination_of(const InstructionForm& form) {
  if (form.has(Modifier::and_))
    return compare_and;
  if (form.has(Modifier::or_))
    return compare_or;
  return form.has(Modifier::xor_) ? compare_xor : compare_alone;
}

LaneFunction comparison_function(Type type, Relation relation, bool sets_predicate) {
  switch (type) {
  case Type::f32:
    return function_for<Single>(relation, sets_predicate);
  case Type::f64:
    return function_for<Whole<double>>(relation, sets_predicate);
  case Type::f16:
  case Type::f16x2:
    return function_for<HalfOf<false>>(relation, sets_predicate);
  case Type::bf16:
  case Type::bf16x2:
    return function_for<HalfOf<true>>(relation, sets_predicate);
  default:
    break;
  }
  LaneFunction f = nullptr;
  with_integer_type(type,
                    [&](auto zero) { f = function_for<Whole<decltype(zero)>>(relation, sets_predicate); });
  return f;
}

// slct: d = c >= 0 ? a : b, with c an s32, or an f32 that is b where it is NaN. Subnormal operands are
// flushed to zeros of their sign, and so decide the same way, except a negative one.
template <class Word> struct SelectBySign {
  Word operator()(Word a, Word b, std::int32_t c) const { return c >= 0 ? a : b; }
};
template <class Word, bool flushes> struct SelectByFloat {
  Word operator()(Word a, Word b, float c) const { return c >= (flushes ? -0x1.fffffcp-127F : 0.0F) ? a : b; }
};

template <class Word> LaneFunction selection_function(const InstructionForm& form) {
  if (form.types[1] == Type::s32)
    return ternary<Word, Word, Word, std::int32_t, SelectBySign<Word>>;
  if (form.types[1] != Type::f32)
    return nullptr;
  return form.has(Modifier::ftz) ? ternary<Word, Word, Word, float, SelectByFloat<Word, true>>
                                 : ternary<Word, Word, Word, float, SelectByFloat<Word, false>>;
}

std::optional<Selection> select_by_sign(const InstructionForm& form) {
  if (form.type_count != 2)
    return std::nullopt;
  Selection s;
  const std::uint32_t bytes = ptx::size_bytes(form.types[0]);
  if (bytes == 8)
    s.apply = selection_function<std::uint64_t>(form);
  else if (bytes == 4 || bytes == 2)
    s.apply = selection_function<std::uint32_t>(form);
  if (s.apply == nullptr)
    return std::nullopt;
  s.result = form.types[0];
  s.sources = {form.types[0], form.types[0], form.types[1], Type::none};
  s.source_count = 3;
  return s;
}

// The part of the immediate that says what is written; empty where there is no such form.
std::optional<std::uint32_t> result_of(const InstructionForm& form) {
  if (form.opcode == Opcode::setp)
    return form.type_count == 1 ? std::optional(0U) : std::nullopt;
  const Type to = form.types[0];
  if (form.type_count != 2 || ptx::size_bytes(to) == 8)
    return std::nullopt;
  const bool is_packed = form.types[1] == Type::f16x2 || form.types[1] == Type::bf16x2;
  std::uint32_t which = is_packed || ptx::size_bytes(to) == 2 ? 1 : 0;
  if (to == Type::f32)
    which = 2;
  else if (to == Type::f16 || to == Type::f16x2)
    which = 3;
  else if (to == Type::bf16 || to == Type::bf16x2)
    which = 4;
  return which << ones_shift | (is_packed ? packed_result : 0);
}

bool compares_whole_integers(Type type) { return !ptx::is_float(type) && ptx::size_bytes(type) >= 4; }

} // namespace

std::optional<Selection> select_comparison(const InstructionForm& form) {
  if (form.modifiers.empty())
    return std::nullopt;
  if (form.opcode == Opcode::slct)
    return select_by_sign(form);
  if (form.opcode != Opcode::setp && form.opcode != Opcode::set)
    return std::nullopt;
  const auto relation = relation_of(form.modifiers[0]);
  const auto result = result_of(form);
  if (!relation || !result)
    return std::nullopt;
  const Type compared = form.type();
  Selection s;
  s.apply = comparison_function(compared, *relation, form.opcode == Opcode::setp);
  if (s.apply == nullptr)
    return std::nullopt;
  s.rule = compares_whole_integers(compared) ? AdvanceRule::compare : AdvanceRule::constant;
  s.result = form.opcode == Opcode::setp ? Type::pred : form.types[0];
  s.sources = {compared, compared, Type::pred, Type::none};
  s.source_count = combination_of(form) == compare_alone ? 2 : 3;
  s.immediate = combination_of(form) | *result | (form.has(Modifier::ftz) ? compare_flushed : 0U);
  return s;
}

} // namespace kerncast::warp
