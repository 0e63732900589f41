// setp, set, slct (PTX ISA, section 9.7.7, comparison and selection).
//
// Left out: half-precision comparisons, .ftz (subnormal inputs would compare as zero).
#include <cmath>

#include "lane_loops.h"
#include "select_operation.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

// The comparison itself; for floats the ordered forms are false and the unordered (…u) true on NaN.
enum class Relation : std::uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

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
  switch (relation) {
  case Relation::eq:
    return a == b;
  case Relation::ne:
    return a != b;
  case Relation::lt:
    return a < b;
  case Relation::le:
    return a <= b;
  case Relation::gt:
    return a > b;
  default:
    return a >= b;
  }
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

template <class T, Relation relation> Truth compare(LaneFile& file, const MicroOp& op) {
  using Word = BitsOf<T>;
  const auto& a = file.lanes<Word>(op.sources[0].index);
  const auto& b = file.lanes<Word>(op.sources[1].index);
  LaneMask bits = 0;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    bits |= holds<T, relation>(from_bits<T>(a[i]), from_bits<T>(b[i])) ? LaneMask{1} << i : LaneMask{0};
  return {bits, file.lanes_known<Word>(op.sources[0].index) & file.lanes_known<Word>(op.sources[1].index)};
}

template <class T, Relation relation>
void set_predicate(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const Truth t = combine(file, op, compare<T, relation>(file, op));
  file.predicate(destination) = t.value;
  file.predicate_known(destination) = t.known;
}

// set writes all ones, or 1.0 into an f32, where the comparison holds.
template <class T, Relation relation, std::uint32_t value_if_true>
void set_word(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const Truth t = combine(file, op, compare<T, relation>(file, op));
  auto& d = file.lanes<std::uint32_t>(destination);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    d[i] = (t.value >> i & 1) != 0 ? value_if_true : 0;
  file.lanes_known<std::uint32_t>(destination) = t.known;
}

enum class Result : std::uint8_t { predicate, ones, one_point_zero };

template <class T, Relation relation> LaneFunction function_for(Result result) {
  switch (result) {
  case Result::predicate:
    return set_predicate<T, relation>;
  case Result::ones:
    return set_word<T, relation, 0xffffffffU>;
  case Result::one_point_zero:
    return set_word<T, relation, 0x3f800000U>;
  }
  return nullptr;
}

template <class T> LaneFunction function_for(Relation relation, Result result) {
  switch (relation) {
  case Relation::eq:
    return function_for<T, Relation::eq>(result);
  case Relation::ne:
    return function_for<T, Relation::ne>(result);
  case Relation::lt:
    return function_for<T, Relation::lt>(result);
  case Relation::le:
    return function_for<T, Relation::le>(result);
  case Relation::gt:
    return function_for<T, Relation::gt>(result);
  case Relation::ge:
    return function_for<T, Relation::ge>(result);
  default:
    break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    switch (relation) {
    case Relation::equ:
      return function_for<T, Relation::equ>(result);
    case Relation::neu:
      return function_for<T, Relation::neu>(result);
    case Relation::ltu:
      return function_for<T, Relation::ltu>(result);
    case Relation::leu:
      return function_for<T, Relation::leu>(result);
    case Relation::gtu:
      return function_for<T, Relation::gtu>(result);
    case Relation::geu:
      return function_for<T, Relation::geu>(result);
    case Relation::num:
      return function_for<T, Relation::num>(result);
    case Relation::nan:
      return function_for<T, Relation::nan>(result);
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

LaneFunction comparison_function(Type type, Relation relation, Result result) {
  if (type == Type::f32)
    return function_for<float>(relation, result);
  if (type == Type::f64)
    return function_for<double>(relation, result);
  LaneFunction f = nullptr;
  with_integer_type(type, [&](auto zero) { f = function_for<decltype(zero)>(relation, result); });
  return f;
}

// slct: d = c >= 0 ? a : b, with c an s32 (a NaN-aware f32 c is left out).
template <class Word> struct SelectBySign {
  Word operator()(Word a, Word b, std::int32_t c) const { return c >= 0 ? a : b; }
};

std::optional<Selection> select_by_sign(const InstructionForm& form) {
  if (form.type_count != 2 || form.types[1] != Type::s32)
    return std::nullopt;
  Selection s;
  const std::uint32_t bytes = ptx::size_bytes(form.types[0]);
  if (bytes == 8)
    s.apply = ternary<std::uint64_t, std::uint64_t, std::uint64_t, std::int32_t, SelectBySign<std::uint64_t>>;
  else if (bytes == 4 || bytes == 2)
    s.apply = ternary<std::uint32_t, std::uint32_t, std::uint32_t, std::int32_t, SelectBySign<std::uint32_t>>;
  else
    return std::nullopt;
  s.result = form.types[0];
  s.sources = {form.types[0], form.types[0], Type::s32, Type::none};
  s.source_count = 3;
  return s;
}

// set writes 32 bits: all ones or 1.0. Nothing else has a lane function.
std::optional<Result> result_of(const InstructionForm& form) {
  if (form.opcode == Opcode::setp)
    return form.type_count == 1 ? std::optional(Result::predicate) : std::nullopt;
  if (form.type_count != 2 || ptx::size_bytes(form.types[0]) != 4)
    return std::nullopt;
  return form.types[0] == Type::f32 ? Result::one_point_zero : Result::ones;
}

bool compares_whole_integers(Type type) { return !ptx::is_float(type) && ptx::size_bytes(type) >= 4; }

} // namespace

std::optional<Selection> select_comparison(const InstructionForm& form) {
  if (form.has(Modifier::ftz) || form.modifiers.empty())
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
  s.apply = comparison_function(compared, *relation, *result);
  if (s.apply == nullptr)
    return std::nullopt;
  s.rule = compares_whole_integers(compared) ? AdvanceRule::compare : AdvanceRule::constant;
  s.result = *result == Result::predicate ? Type::pred : form.types[0];
  s.immediate = combination_of(form);
  s.sources = {compared, compared, Type::pred, Type::none};
  s.source_count = s.immediate == compare_alone ? 2 : 3;
  return s;
}

} // namespace kerncast::warp
