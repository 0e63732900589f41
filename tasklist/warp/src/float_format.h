// Binary floating-point formats: exact decoding, and encoding with one rounding.
//
// A Number is a sign and an integer times a power of two, which holds every value of every format and every
// 64-bit integer, so that any conversion rounds once.
#pragma once

#include <cstdint>

namespace kerncast::warp {

enum class RoundingMode : std::uint8_t { nearest_even, zero, down, up, nearest_away };

struct FloatFormat {
  std::uint8_t exponent_bits = 0;
  std::uint8_t mantissa_bits = 0;
  bool has_infinity = true;        // false: all but one of the largest exponent's codes are numbers (e4m3)
  std::uint64_t canonical_nan = 0; // what the device gives
  std::uint8_t padding = 0;        // unused low bits of the register (tf32)
  bool is_all_finite = false;      // every code is a number (formats of 6 and 4 bits)
  bool is_scale = false;           // powers of two from 2^-127 on, without sign and zero (ue8m0)

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  std::uint64_t sign_bit() const { return std::uint64_t{1} << (exponent_bits + mantissa_bits); }
  std::uint64_t infinity() const { return ((std::uint64_t{1} << exponent_bits) - 1) << mantissa_bits; }
  std::uint64_t largest() const {
    return has_infinity ? infinity() - 1 : sign_bit() - (is_all_finite ? 1 : 2);
  }
};

inline constexpr FloatFormat f16_format{5, 10, true, 0x7fff, 0};
inline constexpr FloatFormat bf16_format{8, 7, true, 0x7fff, 0};
inline constexpr FloatFormat tf32_format{8, 10, true, 0x3ffff, 13}; // 0x7fffe000 in its register
inline constexpr FloatFormat f32_format{8, 23, true, 0x7fffffff, 0};
inline constexpr FloatFormat f64_format{11, 52, true, 0x7ff8000000000000ULL, 0};
inline constexpr FloatFormat e4m3_format{4, 3, false, 0x7f, 0};
inline constexpr FloatFormat e5m2_format{5, 2, true, 0x7f, 0};
// NaN becomes the largest number.
inline constexpr FloatFormat e2m3_format{2, 3, false, 0x1f, 0, true};
inline constexpr FloatFormat e3m2_format{3, 2, false, 0x1f, 0, true};
inline constexpr FloatFormat e2m1_format{2, 1, false, 0x7, 0, true};
inline constexpr FloatFormat ue8m0_format{8, 0, false, 0xff, 0, false, true};

struct Number {
  enum class Kind : std::uint8_t { finite, infinite, nan };
  Kind kind = Kind::finite;
  bool negative = false;
  std::uint64_t magnitude = 0; // finite: times 2^exponent
  int exponent = 0;

  bool is_zero() const { return kind == Kind::finite && magnitude == 0; }
};

Number decode_float(std::uint64_t bits, const FloatFormat& format);
Number integer_number(std::uint64_t bits, std::uint32_t bytes, bool is_signed);

// `saturate`: what exceeds the largest number, infinities included, becomes that number.
// Scales are those of magnitudes, the smallest one where the number is smaller.
std::uint64_t encode_float(const Number& number, const FloatFormat& format, RoundingMode mode, bool saturate);

// As many bits as are added to what is cut off: with a carry the magnitude grows.
struct RandomBits {
  std::uint32_t value = 0;
  int count = 0;
};
std::uint64_t encode_stochastically(const Number& number, const FloatFormat& format, RandomBits random,
                                    bool saturate);
// The nearest integer in the direction of `mode`.
Number rounded_to_integer(const Number& number, RoundingMode mode);

// A double rounded to nearest even in a format of 16 bits.
std::uint16_t narrow_to_half(double value, const FloatFormat& format);
// Exact.
double widen_half(std::uint16_t bits, const FloatFormat& format);

} // namespace kerncast::warp
