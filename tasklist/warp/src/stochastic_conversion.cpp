// cvt.rs: random bits are added to what is cut off, and with a carry the magnitude grows (PTX ISA, section
// 9.7.9.21, cvt). Left out: e2m1x4, of which the manual's text does not say which bits are whose.
//
// Each half of the last source is for one of two values, or for two of four. The manual's text gives the two
// the same 16 bits; as devices do it, one takes them in reverse order.
#include "float_format.h"
#include "select_operation.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

struct Target {
  Modifier name{};
  const FloatFormat& format;
  std::uint8_t bits = 0; // of one value in the destination
  std::uint8_t random_bits = 0;
  Type result{};
};
constexpr Target targets[] = {
    {Modifier::f16x2, f16_format, 16, 13, Type::f16x2}, {Modifier::bf16x2, bf16_format, 16, 16, Type::bf16x2},
    {Modifier::e4m3x4, e4m3_format, 8, 16, Type::b32},  {Modifier::e5m2x4, e5m2_format, 8, 16, Type::b32},
    {Modifier::e2m3x4, e2m3_format, 8, 16, Type::b32},  {Modifier::e3m2x4, e3m2_format, 8, 16, Type::b32}};

// MicroOp::immediate: the index of the target, and what else is done. Of four values the fifth source
// follows: the slot of the random bits.
enum : std::uint32_t { target_mask = 7, rs_relu = 8, rs_satfinite = 16, random_slot_shift = 5 };

std::uint32_t reversed(std::uint32_t half) {
  std::uint32_t result = 0;
  for (std::uint32_t bit = 0; bit < 16; ++bit)
    result |= (half >> bit & 1) << (15 - bit);
  return result;
}

std::uint32_t rounded(std::uint32_t value, std::uint32_t random, std::uint32_t how) {
  const Target& to = targets[how & target_mask];
  Number n = decode_float(value, f32_format);
  if ((how & rs_relu) != 0 && n.kind != Number::Kind::nan && n.negative)
    n = {};
  random &= (1U << to.random_bits) - 1;
  return static_cast<std::uint32_t>(
      encode_stochastically(n, to.format, {random, to.random_bits}, (how & rs_satfinite) != 0));
}

// d = {a, b}, a in the upper half, with the upper half of the random bits.
void round_two(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const auto& a = file.lanes<std::uint32_t>(op.sources[0].index);
  const auto& b = file.lanes<std::uint32_t>(op.sources[1].index);
  const auto& random = file.lanes<std::uint32_t>(op.sources[2].index);
  auto& d = file.lanes<std::uint32_t>(destination);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    d[i] = rounded(a[i], random[i] >> 16, op.immediate) << 16 | rounded(b[i], random[i], op.immediate);
  LaneMask known = all_lanes;
  for (std::uint32_t s = 0; s < 3; ++s)
    known &= file.lanes_known<std::uint32_t>(op.sources[s].index);
  file.lanes_known<std::uint32_t>(destination) = known;
}

// d = {a, b, e, f}, a in the uppermost byte.
void round_four(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const auto& random = file.lanes<std::uint32_t>(op.immediate >> random_slot_shift);
  LaneMask known = file.lanes_known<std::uint32_t>(op.immediate >> random_slot_shift);
  Lanes<std::uint32_t> result{};
  for (std::uint32_t s = 0; s < 4; ++s) {
    const auto& value = file.lanes<std::uint32_t>(op.sources[s].index);
    known &= file.lanes_known<std::uint32_t>(op.sources[s].index);
    for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
      const std::uint32_t half = s < 2 ? random[i] >> 16 : random[i] & 0xffff;
      result[i] = result[i] << 8 | rounded(value[i], s % 2 == 0 ? reversed(half) : half, op.immediate);
    }
  }
  file.lanes<std::uint32_t>(destination) = result;
  file.lanes_known<std::uint32_t>(destination) = known;
}

bool is_stochastic_modifier(Modifier m) {
  return m == Modifier::rs || m == Modifier::relu || m == Modifier::satfinite || m == Modifier::f32;
}

} // namespace

std::optional<Selection> select_stochastic_conversion(const InstructionForm& form) {
  if (form.opcode != Opcode::cvt || !form.has(Modifier::rs))
    return std::nullopt;
  std::optional<std::uint32_t> target;
  for (const Modifier m : form.modifiers) {
    const auto* row =
        std::find_if(std::begin(targets), std::end(targets), [m](const Target& t) { return t.name == m; });
    if (row != std::end(targets))
      target = static_cast<std::uint32_t>(row - std::begin(targets));
    else if (!is_stochastic_modifier(m))
      return std::nullopt;
  }
  if (!target)
    return std::nullopt;
  const bool has_four = targets[*target].bits == 8;
  Selection s;
  s.apply = has_four ? round_four : round_two;
  s.inexact = has_four; // the manual leaves open which random bits are whose
  s.result = targets[*target].result;
  s.sources = {Type::f32, Type::f32, has_four ? Type::f32 : Type::b32, Type::f32};
  s.source_count = has_four ? 4 : 3;
  s.immediate = *target | (form.has(Modifier::relu) ? rs_relu : 0U) |
                (form.has(Modifier::satfinite) ? rs_satfinite : 0U);
  s.last_source_shift = static_cast<std::uint8_t>(has_four ? std::uint32_t{random_slot_shift} : 0);
  return s;
}

} // namespace kerncast::warp
