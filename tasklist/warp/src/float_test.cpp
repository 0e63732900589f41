// testp: which kind of number a float is (PTX ISA, section 9.7.3, floating-point instructions).
#include <cmath>

#include "lane_loops.h"
#include "select_operation.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

// Zeros count as normal.
template <class T> bool is_normal_or_zero(T a) { return std::isnormal(a) || a == 0; }
template <class T> bool is_subnormal(T a) { return std::fpclassify(a) == FP_SUBNORMAL; }
template <class T> bool is_finite(T a) { return std::isfinite(a); }
template <class T> bool is_infinite(T a) { return std::isinf(a); }
template <class T> bool is_number(T a) { return !std::isnan(a); }
template <class T> bool is_not_a_number(T a) { return std::isnan(a); }

template <class T, bool (*holds)(T)>
void test_lanes(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const auto& a = file.lanes<BitsOf<T>>(op.sources[0].index);
  LaneMask truth = 0;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    truth |= holds(from_bits<T>(a[i])) ? LaneMask{1} << i : 0;
  file.predicate(destination) = truth;
  file.predicate_known(destination) = file.lanes_known<BitsOf<T>>(op.sources[0].index);
}

template <class T> LaneFunction function_for(Modifier kind) {
  switch (kind) {
  case Modifier::finite:
    return test_lanes<T, is_finite<T>>;
  case Modifier::infinite:
    return test_lanes<T, is_infinite<T>>;
  case Modifier::number:
    return test_lanes<T, is_number<T>>;
  case Modifier::notanumber:
    return test_lanes<T, is_not_a_number<T>>;
  case Modifier::normal:
    return test_lanes<T, is_normal_or_zero<T>>;
  case Modifier::subnormal:
    return test_lanes<T, is_subnormal<T>>;
  default:
    return nullptr;
  }
}

} // namespace

std::optional<Selection> select_float_test(const InstructionForm& form) {
  if (form.opcode != Opcode::testp || form.type_count != 1)
    return std::nullopt;
  Selection s;
  s.apply = form.type() == Type::f64 ? function_for<double>(form.modifiers[0])
                                     : function_for<float>(form.modifiers[0]);
  if (s.apply == nullptr)
    return std::nullopt;
  s.result = Type::pred;
  s.sources.fill(form.type());
  s.source_count = 1;
  return s;
}

} // namespace kerncast::warp
