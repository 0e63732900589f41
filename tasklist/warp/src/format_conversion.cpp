// cvt in all its forms that conversion.cpp has no loop for: half and narrower formats, every rounding, .ftz,
// .sat, .satfinite, .relu and packed results (PTX ISA, section 9.7.9.21, cvt).
//
// A value becomes a Number, is scaled, rounded, limited, and encoded. Stochastic rounding:
// stochastic_conversion.cpp. Nothing is converted to fixed point, .s2f6x2: the manual leaves open whether
// values below -127/64 become that, the negated largest number, or -2, the least one.
#include <bit>

#include "float_format.h"
#include "select_operation.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

struct Numeric {
  Modifier name{};
  std::uint8_t bytes = 0; // of one value; 0: 4 bits
  std::uint8_t count = 1; // in a register
  bool is_signed = false;
  const FloatFormat* format = nullptr; // null: an integer
  Type type{};                         // of the register
  std::uint8_t fraction_bits = 0;      // of an integer that stands for so many bits less

  std::uint32_t bits() const { return bytes == 0 ? 4 : 8U * bytes; }
};

constexpr Numeric numerics[] = {
    {Modifier::s8, 1, 1, true, nullptr, Type::s8},
    {Modifier::u8, 1, 1, false, nullptr, Type::u8},
    {Modifier::s16, 2, 1, true, nullptr, Type::s16},
    {Modifier::u16, 2, 1, false, nullptr, Type::u16},
    {Modifier::s32, 4, 1, true, nullptr, Type::s32},
    {Modifier::u32, 4, 1, false, nullptr, Type::u32},
    {Modifier::s64, 8, 1, true, nullptr, Type::s64},
    {Modifier::u64, 8, 1, false, nullptr, Type::u64},
    {Modifier::f16, 2, 1, true, &f16_format, Type::f16},
    {Modifier::bf16, 2, 1, true, &bf16_format, Type::bf16},
    {Modifier::tf32, 4, 1, true, &tf32_format, Type::b32},
    {Modifier::f32, 4, 1, true, &f32_format, Type::f32},
    {Modifier::f64, 8, 1, true, &f64_format, Type::f64},
    {Modifier::f16x2, 2, 2, true, &f16_format, Type::f16x2},
    {Modifier::bf16x2, 2, 2, true, &bf16_format, Type::bf16x2},
    {Modifier::e4m3x2, 1, 2, true, &e4m3_format, Type::b16},
    {Modifier::e5m2x2, 1, 2, true, &e5m2_format, Type::b16},
    {Modifier::e2m3x2, 1, 2, true, &e2m3_format, Type::b16},
    {Modifier::e3m2x2, 1, 2, true, &e3m2_format, Type::b16},
    {Modifier::e2m1x2, 0, 2, true, &e2m1_format, Type::b8},
    {Modifier::ue8m0x2, 1, 2, false, &ue8m0_format, Type::b16},
    {Modifier::s2f6x2, 1, 2, true, nullptr, Type::b16, 6},
};

// MicroOp::immediate: indices of the two types, the rounding, and what else is done.
enum : std::uint32_t {
  to_shift = 5,
  mode_shift = 10,
  index_mask = 31,
  mode_mask = 7,
  to_integral = 1U << 13, // .rni and the like
  saturates = 1U << 14,
  flushes = 1U << 15,
  clips_negative = 1U << 16,
  saturates_finite = 1U << 17,
  scales = 1U << 18, // by the powers of two of the second source
};

struct Conversion {
  const Numeric& from;
  const Numeric& to;
  RoundingMode mode;
  std::uint32_t how;

  explicit Conversion(std::uint32_t immediate)
      : from(numerics[immediate & index_mask]), to(numerics[immediate >> to_shift & index_mask]),
        mode(static_cast<RoundingMode>(immediate >> mode_shift & mode_mask)), how(immediate) {}
  bool does(std::uint32_t what) const { return (how & what) != 0; }
};

std::uint64_t value_mask(std::uint32_t bytes) { return ~std::uint64_t{0} >> (64 - 8 * bytes); }

// NaN: zero, but the top bit where 64 bits are on either side, as in conversion.cpp.
std::uint64_t nan_as_integer(const Conversion& c) {
  return c.from.bytes == 8 || c.to.bytes == 8 ? std::uint64_t{1} << (8 * c.to.bytes - 1) : 0;
}

std::uint64_t limited_integer(const Conversion& c, const Number& n) {
  const std::uint64_t largest = value_mask(c.to.bytes) >> (c.to.is_signed ? 1 : 0);
  const std::uint64_t lowest = c.to.is_signed ? largest + 1 : 0; // its magnitude
  const int bits = n.magnitude == 0 ? 0 : n.exponent + 64 - std::countl_zero(n.magnitude);
  const std::uint64_t limit = n.negative ? lowest : largest;
  const bool exceeds = n.kind == Number::Kind::infinite || bits > 64 || n.magnitude << n.exponent > limit;
  const std::uint64_t magnitude = exceeds ? limit : n.magnitude << n.exponent;
  return (n.negative ? ~magnitude + 1 : magnitude) & value_mask(c.to.bytes);
}

Number flushed_number(const Number& n) {
  const int lead = n.exponent + 63 - std::countl_zero(n.magnitude);
  Number result = n;
  if (n.kind == Number::Kind::finite && n.magnitude != 0 && lead < 1 - f32_format.bias())
    result.magnitude = 0;
  return result;
}

// To [0, 1]; NaN to 0.
Number saturated_number(const Number& n) {
  if (n.kind == Number::Kind::nan || n.negative)
    return {};
  const bool above = n.kind == Number::Kind::infinite ||
                     (n.magnitude != 0 && n.exponent + 63 - std::countl_zero(n.magnitude) >= 0);
  return above ? Number{Number::Kind::finite, false, 1, 0} : n;
}

std::uint64_t to_integer(const Conversion& c, const Number& n, std::uint64_t bits) {
  if (n.kind == Number::Kind::nan)
    return nan_as_integer(c);
  if (c.from.format != nullptr || c.does(saturates))
    return limited_integer(c, rounded_to_integer(n, c.mode));
  const std::uint32_t unused = 64 - 8 * c.from.bytes; // integers are extended or cut
  const std::uint64_t top = bits << unused;
  const std::uint64_t extended =
      c.from.is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(top) >> unused) : top >> unused;
  return extended & value_mask(c.to.bytes);
}

Number number_of(const Numeric& type, std::uint64_t bits) {
  if (type.format != nullptr)
    return decode_float(bits, *type.format);
  Number n = integer_number(bits, type.bytes, type.is_signed);
  n.exponent -= type.fraction_bits;
  return n;
}

std::uint64_t rounded(const Conversion& c, Number n, std::uint64_t bits) {
  if (c.does(flushes) && c.from.format == &f32_format)
    n = flushed_number(n);
  if (c.to.format == nullptr)
    return to_integer(c, n, bits);
  if (c.does(to_integral))
    n = rounded_to_integer(n, c.mode);
  if (c.does(saturates))
    n = saturated_number(n);
  if (c.does(clips_negative) && n.kind != Number::Kind::nan && n.negative)
    n = {};
  if (c.does(flushes) && c.to.format == &f32_format)
    n = flushed_number(n);
  return encode_float(n, *c.to.format, c.mode, c.does(saturates_finite));
}

std::uint64_t converted(const Conversion& c, std::uint64_t bits) {
  return rounded(c, number_of(c.from, bits), bits);
}

// One of the values in a register.
std::uint64_t part_of(const Numeric& type, std::uint64_t bits, std::uint32_t part) {
  return bits >> (type.bits() * part) & (~std::uint64_t{0} >> (64 - type.bits()));
}

template <class From, class To> void convert(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const Conversion c(op.immediate);
  const auto& a = file.lanes<From>(op.sources[0].index);
  auto& d = file.lanes<To>(destination);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
    std::uint64_t result = 0;
    for (std::uint32_t part = 0; part < c.to.count; ++part)
      result |= converted(c, part_of(c.from, a[i], part)) << (c.to.bits() * part);
    d[i] = static_cast<To>(result);
  }
  file.lanes_known<To>(destination) = file.lanes_known<From>(op.sources[0].index);
}

// d = {a, b}, with a in the upper half.
void convert_pair(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const Conversion c(op.immediate);
  const auto& a = file.lanes<std::uint32_t>(op.sources[0].index);
  const auto& b = file.lanes<std::uint32_t>(op.sources[1].index);
  auto& d = file.lanes<std::uint32_t>(destination);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    d[i] = static_cast<std::uint32_t>(converted(c, a[i]) << c.to.bits() | converted(c, b[i]));
  file.lanes_known<std::uint32_t>(destination) = file.lanes_known<std::uint32_t>(op.sources[0].index) &
                                                 file.lanes_known<std::uint32_t>(op.sources[1].index);
}

// Times a scale, a power of two or NaN.
Number scaled(Number n, const Number& scale) {
  if (scale.kind == Number::Kind::nan)
    n.kind = Number::Kind::nan;
  n.exponent += scale.exponent;
  return n;
}

// .scaled::n2::ue8m0: the scales lie in b as the values do in a, a byte each.
void convert_scaled(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const Conversion c(op.immediate);
  const auto& a = file.lanes<std::uint32_t>(op.sources[0].index);
  const auto& b = file.lanes<std::uint32_t>(op.sources[1].index);
  auto& d = file.lanes<std::uint32_t>(destination);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
    std::uint64_t result = 0;
    for (std::uint32_t part = 0; part < c.to.count; ++part) {
      const std::uint64_t bits = part_of(c.from, a[i], part);
      const Number scale = decode_float(b[i] >> (8 * part) & 0xff, ue8m0_format);
      result |= rounded(c, scaled(number_of(c.from, bits), scale), bits) << (c.to.bits() * part);
    }
    d[i] = static_cast<std::uint32_t>(result);
  }
  file.lanes_known<std::uint32_t>(destination) = file.lanes_known<std::uint32_t>(op.sources[0].index) &
                                                 file.lanes_known<std::uint32_t>(op.sources[1].index);
}

std::optional<std::uint32_t> numeric_of(Modifier m) {
  for (std::uint32_t n = 0; n < std::size(numerics); ++n)
    if (numerics[n].name == m)
      return n;
  return std::nullopt;
}

struct RoundingRow {
  Modifier name{};
  RoundingMode mode = RoundingMode::nearest_even;
  std::uint32_t how = 0;
};
constexpr RoundingRow rounding_rows[] = {
    {Modifier::rn, RoundingMode::nearest_even, 0},
    {Modifier::rz, RoundingMode::zero, 0},
    {Modifier::rm, RoundingMode::down, 0},
    {Modifier::rp, RoundingMode::up, 0},
    {Modifier::rna, RoundingMode::nearest_away, 0},
    {Modifier::rni, RoundingMode::nearest_even, to_integral},
    {Modifier::rzi, RoundingMode::zero, to_integral},
    {Modifier::rmi, RoundingMode::down, to_integral},
    {Modifier::rpi, RoundingMode::up, to_integral},
};
struct Flag {
  Modifier name{};
  std::uint32_t how = 0;
};
constexpr Flag flags[] = {{Modifier::sat, saturates},
                          {Modifier::ftz, flushes},
                          {Modifier::relu, clips_negative},
                          {Modifier::satfinite, saturates_finite},
                          {Modifier::scaled_n2_ue8m0, scales}};

// The modifier's part of the immediate; empty if it is not known.
std::optional<std::uint32_t> meaning_of(Modifier m) {
  for (const RoundingRow& step : rounding_rows)
    if (step.name == m)
      return step.how | static_cast<std::uint32_t>(step.mode) << mode_shift;
  for (const Flag& flag : flags)
    if (flag.name == m)
      return flag.how;
  return std::nullopt;
}

// Of both types and all else that is written; empty if there is something that is not known.
std::optional<std::uint32_t> immediate_of(const InstructionForm& form) {
  std::uint32_t immediate = 0;
  std::array<std::uint32_t, 2> types{}; // to, from
  std::size_t type_count = 0;
  for (const Modifier m : form.modifiers) {
    const auto numeric = numeric_of(m);
    const auto meaning = meaning_of(m);
    if (numeric && type_count < types.size())
      types[type_count++] = *numeric;
    else if (!numeric && meaning)
      immediate |= *meaning;
    else
      return std::nullopt;
  }
  return type_count == types.size() ? std::optional(immediate | types[0] << to_shift | types[1])
                                    : std::nullopt;
}

LaneFunction function_for(const Numeric& to, const Numeric& from) {
  if (to.count == 2)
    return from.count == 2 ? convert<std::uint32_t, std::uint32_t> : convert_pair;
  if (to.bytes == 8)
    return from.bytes == 8 ? convert<std::uint64_t, std::uint64_t> : convert<std::uint32_t, std::uint64_t>;
  return from.bytes == 8 ? convert<std::uint64_t, std::uint32_t> : convert<std::uint32_t, std::uint32_t>;
}

} // namespace

std::optional<Selection> select_format_conversion(const InstructionForm& form) {
  const auto immediate = form.opcode == Opcode::cvt ? immediate_of(form) : std::nullopt;
  if (!immediate)
    return std::nullopt;
  const Conversion c(*immediate);
  const Numeric &to = c.to, &from = c.from;
  const bool splits = to.count == 1 && from.count == 2;
  if (splits || to.fraction_bits > 0)
    return std::nullopt;
  const bool is_scaled = c.does(scales);
  Selection s;
  s.apply = is_scaled ? convert_scaled : function_for(to, from);
  s.result = to.type;
  s.sources.fill(from.type);
  if (is_scaled)
    s.sources[1] = Type::b16;
  s.source_count = is_scaled || (to.count == 2 && from.count == 1) ? 2 : 1;
  s.immediate = *immediate;
  return s;
}

} // namespace kerncast::warp
