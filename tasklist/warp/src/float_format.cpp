#include "float_format.h"

#include <algorithm>
#include <bit>

namespace kerncast::warp {
namespace {

// Whether a magnitude that was cut grows by one: `rest` was cut off, `half` is half of the last place.
bool grows(RoundingMode mode, bool negative, bool is_odd, std::uint64_t rest, std::uint64_t half) {
  switch (mode) {
  case RoundingMode::nearest_even:
    return rest > half || (rest == half && is_odd);
  case RoundingMode::nearest_away:
    return rest >= half;
  case RoundingMode::down:
    return rest != 0 && negative;
  case RoundingMode::up:
    return rest != 0 && !negative;
  case RoundingMode::zero:
    break;
  }
  return false;
}

// magnitude / 2^places, rounded. What is shifted out whole still counts as a rest.
std::uint64_t shifted_right(std::uint64_t magnitude, int places, RoundingMode mode, bool negative) {
  if (places <= 0)
    return magnitude << -places;
  if (places > 64) // less than half of one
    return grows(mode, negative, false, magnitude == 0 ? 0 : 1, 2) ? 1 : 0;
  const std::uint64_t half = std::uint64_t{1} << (places - 1);
  const std::uint64_t kept = places == 64 ? 0 : magnitude >> places;
  const std::uint64_t rest = magnitude & (half | (half - 1));
  return kept + (grows(mode, negative, (kept & 1) != 0, rest, half) ? 1 : 0);
}

std::uint64_t overflowed(const FloatFormat& format, RoundingMode mode, bool negative, bool saturate) {
  const bool stays = mode == RoundingMode::zero || mode == (negative ? RoundingMode::up : RoundingMode::down);
  if (saturate || stays)
    return format.largest();
  return format.has_infinity ? format.infinity() : format.canonical_nan;
}

int lead_of(const Number& n) { return n.exponent + 63 - std::countl_zero(n.magnitude); }

// Of the last bit that the format keeps: the leading bit decides, but not below the smallest normal number's.
int last_place(const Number& n, const FloatFormat& format) {
  return std::max(lead_of(n), 1 - format.bias()) - format.mantissa_bits;
}

Number decode_scale(std::uint64_t code) {
  Number n;
  n.kind = code == ue8m0_format.canonical_nan ? Number::Kind::nan : Number::Kind::finite;
  n.magnitude = 1;
  n.exponent = static_cast<int>(code) - ue8m0_format.bias();
  return n;
}

std::uint64_t encode_scale(const Number& n, RoundingMode mode, bool saturate) {
  constexpr int largest = 0xfe;
  int code = 0;
  if (n.kind == Number::Kind::infinite) {
    code = largest + 1;
  } else if (n.magnitude != 0) {
    const bool grows = mode == RoundingMode::up && !std::has_single_bit(n.magnitude);
    code = std::max(lead_of(n) + ue8m0_format.bias() + (grows ? 1 : 0), 0);
  }
  return code <= largest ? static_cast<std::uint64_t>(code) : saturate ? largest : ue8m0_format.canonical_nan;
}

} // namespace

Number decode_float(std::uint64_t bits, const FloatFormat& format) {
  if (format.is_scale)
    return decode_scale(bits);
  bits >>= format.padding;
  Number n;
  n.negative = (bits & format.sign_bit()) != 0;
  const std::uint64_t code = bits & (format.sign_bit() - 1);
  const std::uint64_t mantissa = code & ((std::uint64_t{1} << format.mantissa_bits) - 1);
  const auto exponent = static_cast<int>(code >> format.mantissa_bits);
  if (code > format.largest()) {
    n.kind = format.has_infinity && mantissa == 0 ? Number::Kind::infinite : Number::Kind::nan;
    return n;
  }
  n.magnitude = exponent == 0 ? mantissa : mantissa | std::uint64_t{1} << format.mantissa_bits;
  n.exponent = std::max(exponent, 1) - format.bias() - format.mantissa_bits;
  return n;
}

Number integer_number(std::uint64_t bits, std::uint32_t bytes, bool is_signed) {
  const std::uint32_t unused = 64 - 8 * bytes;
  Number n;
  n.magnitude = bits << unused >> unused;
  if (is_signed && (n.magnitude >> (8 * bytes - 1)) != 0) {
    n.negative = true;
    n.magnitude = (~n.magnitude + 1) << unused >> unused;
  }
  return n;
}

std::uint64_t encode_float(const Number& n, const FloatFormat& format, RoundingMode mode, bool saturate) {
  if (n.kind == Number::Kind::nan)
    return format.canonical_nan << format.padding;
  if (format.is_scale)
    return encode_scale(n, mode, saturate);
  const std::uint64_t sign = n.negative ? format.sign_bit() : 0;
  std::uint64_t code = 0;
  if (n.kind == Number::Kind::infinite) {
    code = saturate ? format.largest() : format.has_infinity ? format.infinity() : format.canonical_nan;
  } else if (n.magnitude != 0) {
    const int smallest = 1 - format.bias();
    const int place = last_place(n, format);
    if (lead_of(n) > format.bias() + 1)
      return (sign | overflowed(format, mode, n.negative, saturate)) << format.padding;
    const std::uint64_t kept = shifted_right(n.magnitude, place - n.exponent, mode, n.negative);
    // The leading bit, where there is one, adds one to the exponent; so does a carry out of the mantissa.
    code =
        (static_cast<std::uint64_t>(place + format.mantissa_bits - smallest) << format.mantissa_bits) + kept;
    if (code > format.largest())
      code = overflowed(format, mode, n.negative, saturate);
  }
  return (sign | code) << format.padding;
}

// Bits far below the last place cannot carry: they are cut first, so that sums fit.
std::uint64_t encode_stochastically(const Number& n, const FloatFormat& format, RandomBits random,
                                    bool saturate) {
  if (n.kind != Number::Kind::finite || n.magnitude == 0 || lead_of(n) > format.bias() + 1)
    return encode_float(n, format, RoundingMode::nearest_even, saturate);
  const int place = last_place(n, format), lowest = place - random.count;
  Number sum = n;
  sum.magnitude = shifted_right(n.magnitude, lowest - n.exponent, RoundingMode::zero, false) + random.value;
  sum.magnitude = sum.magnitude >> random.count;
  sum.exponent = place;
  return encode_float(sum, format, RoundingMode::nearest_even, saturate);
}

Number rounded_to_integer(const Number& n, RoundingMode mode) {
  if (n.kind != Number::Kind::finite || n.exponent >= 0)
    return n;
  Number result = n;
  result.magnitude = shifted_right(n.magnitude, -n.exponent, mode, n.negative);
  result.exponent = 0;
  return result;
}

std::uint16_t narrow_to_half(double value, const FloatFormat& format) {
  const Number n = decode_float(std::bit_cast<std::uint64_t>(value), f64_format);
  return static_cast<std::uint16_t>(encode_float(n, format, RoundingMode::nearest_even, false));
}

double widen_half(std::uint16_t bits, const FloatFormat& format) {
  const Number n = decode_float(bits, format);
  return std::bit_cast<double>(encode_float(n, f64_format, RoundingMode::nearest_even, false));
}

} // namespace kerncast::warp
