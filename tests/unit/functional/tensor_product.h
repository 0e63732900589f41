// One tcgen05.mma on small integers, which every format holds exactly, and the same product in plain loops.
// Where the elements of A, B and D lie each test writes out.
#pragma once

#include "small_numbers.h"
#include "tensor_device.h"

namespace kerncast::functional_test {

// How a small integer (-2 to 2) is written.
struct NumberFormat {
  std::uint32_t bits = 0; // as it is stored
  std::function<std::uint32_t(int)> of;
  std::uint32_t code = 0; // in the instruction descriptor
};

// A float of so many exponent and mantissa bits.
inline NumberFormat narrow(std::uint32_t exponent, std::uint32_t mantissa, std::uint32_t code) {
  return {1 + exponent + mantissa,
          [=](int value) {
            if (value == 0)
              return 0U;
            const std::uint32_t bias = (1U << (exponent - 1)) - 1;
            const std::uint32_t magnitude = (bias + (std::abs(value) == 2 ? 1U : 0U)) << mantissa;
            return magnitude | (value < 0 ? 1U << (exponent + mantissa) : 0U);
          },
          code};
}
inline const NumberFormat f16 = narrow(5, 10, 0), bf16 = narrow(8, 7, 1), tf32 = narrow(8, 23, 2),
                          e4m3 = narrow(4, 3, 0), e5m2 = narrow(5, 2, 1), e2m3 = narrow(2, 3, 3),
                          e3m2 = narrow(3, 2, 4), e2m1 = narrow(2, 1, 5), e2m1_alone = narrow(2, 1, 1);
inline const NumberFormat u8{8, [](int value) { return static_cast<std::uint32_t>(std::abs(value)); }, 0};
inline const NumberFormat s8{8, [](int value) { return static_cast<std::uint32_t>(value) & 0xff; }, 1};

// A value in -2 ... 2, different from place to place.
inline int tiny(std::uint32_t k) { return static_cast<int>(scrambled(k) % 5) - 2; }

// The bit of shared memory at which an element of a row of A, or a column of B, lies.
using BitOf = std::function<std::uint32_t(std::uint32_t row, std::uint32_t k)>;
// A descriptor; swizzle: 0 none, 1 of 128 bytes that keeps 32 together, 2 of 128, 4 of 64, 6 of 32.
constexpr std::uint64_t tensor_descriptor(std::uint64_t start, std::uint64_t leading, std::uint64_t stride,
                                          std::uint64_t swizzle = 0) {
  return start >> 4 | (leading >> 4) << 16 | (stride >> 4) << 32 | std::uint64_t{1} << 46 | swizzle << 61;
}

// Core matrices of 8 rows of 16 bytes: 128 bytes from one to the next along k, `stride` to the next rows.
inline BitOf in_core_matrices(std::uint32_t begin, std::uint32_t stride, std::uint32_t bits) {
  return [=](std::uint32_t row, std::uint32_t k) {
    const std::uint32_t byte = k * bits / 8;
    return 8 * (begin + row % 8 * 16 + row / 8 * stride + byte % 16 + byte / 16 * 128) + k * bits % 8;
  };
}
// Elements of 6 and 4 bits, sixteen packed at the start of each 16 bytes.
inline BitOf padded_in_core_matrices(std::uint32_t begin, std::uint32_t stride, std::uint32_t bits) {
  return [=](std::uint32_t row, std::uint32_t k) {
    return 8 * (begin + row % 8 * 16 + row / 8 * stride + k / 16 * 128) + k % 16 * bits;
  };
}

struct Place {
  std::uint32_t lane = 0, column = 0, cta = 0;
};

struct TensorProduct {
  std::string name; // "tcgen05.mma.cta_group::1.kind::f16"
  std::uint32_t m = 128, n = 32, k = 16;
  NumberFormat a, b;
  BitOf place_a, place_b; // no place_a: A is put into tensor memory by `prepare`
  std::uint64_t descriptor_a = 0, descriptor_b = 0;
  std::uint32_t type_d = 1; // in the instruction descriptor; 1: f32
  std::uint32_t more_bits = 0;
  std::string setup;                   // defines %e1, ...
  std::string operand_a = "%at";       // or "[%e1]"
  std::string metadata, before, after; // further operands: in front of the descriptor, the predicate; behind
  bool adds = true;
  std::uint32_t d_offset = 0; // of D's address
  std::uint32_t columns = 64;
  std::uint32_t shared_bytes = 32768;
  std::function<Place(std::uint32_t row, std::uint32_t column)> place_d = [](std::uint32_t row,
                                                                             std::uint32_t column) {
    return Place{row, column, 0};
  };
  std::function<int(std::uint32_t row, std::uint32_t k)> value_a = [](std::uint32_t row, std::uint32_t at) {
    return tiny(row * 256 + at);
  };
  std::function<int(std::uint32_t k, std::uint32_t column)> value_b =
      [](std::uint32_t at, std::uint32_t column) { return tiny(100'000 + at * 256 + column); };
  // What is multiplied into an element of A or B.
  std::function<int(std::uint32_t line, std::uint32_t at)> factor_a = [](std::uint32_t, std::uint32_t) {
    return 1;
  };
  std::function<int(std::uint32_t line, std::uint32_t at)> factor_b = factor_a;
  std::function<std::uint32_t(int)> bits_d = single;
  // The result, from the exact product and what was in D.
  std::function<int(int product, int d, std::uint32_t row, std::uint32_t column)> result =
      [](int product, int d, std::uint32_t, std::uint32_t) { return product + d; };
  std::function<void(TensorContents&)> prepare = [](TensorContents&) {};
  // Where in shared memory an element of A is stored, if it is: sparse matrices store half.
  std::function<std::optional<std::uint32_t>(std::uint32_t row, std::uint32_t k)> stored =
      [](std::uint32_t, std::uint32_t at) { return std::optional(at); };

  std::size_t word(std::uint32_t lane, std::uint32_t column, std::uint32_t cta = 0) const {
    return (std::size_t{cta} * tensor_lanes + lane) * columns + column;
  }
  bool of_pair() const { return name.find("cta_group::2") != std::string::npos; }
  std::uint32_t instruction() const {
    return type_d << 4 | a.code << 7 | b.code << 10 | n >> 3 << 17 | m >> 4 << 24 | more_bits;
  }
  static int value_d(std::uint32_t row, std::uint32_t column) {
    return 2 * tiny(200'000 + row * 256 + column);
  }

  TensorCase tensor_case() const {
    return {fmt::format("mov.b64 %at, {};\nmov.b64 %lo, {};\nmov.b32 %x, {};\nmov.b32 %y, {};\n"
                        "setp.ne.u32 %p, %y, 0;\nadd.u32 %e0, %b, {};\n{}{} [%e0], {}, %lo, {}%x, {}%p{};\n",
                        descriptor_a, descriptor_b, instruction(), adds ? 1 : 0, d_offset, setup, name,
                        operand_a, metadata, before, after),
            columns, shared_bytes, of_pair()};
  }
};

inline void put_bits(TensorContents& contents, std::size_t at, std::uint32_t value, std::uint32_t bits) {
  for (std::uint32_t bit = 0; bit < bits; ++bit)
    contents.shared.at((at + bit) / 8) = static_cast<std::uint8_t>(contents.shared.at((at + bit) / 8) |
                                                                   (value >> bit & 1) << ((at + bit) % 8));
}

inline TensorContents contents_of(const TensorProduct& p, const TensorCase& c) {
  TensorContents contents(c);
  const std::uint32_t ctas = p.of_pair() ? 2 : 1;
  const auto in_cta = [&](std::uint32_t cta) { return std::size_t{8} * cta * c.shared_bytes; };
  for (std::uint32_t k = 0; k < p.k; ++k) {
    for (std::uint32_t row = 0; row < p.m && p.place_a; ++row)
      if (const auto stored = p.stored(row, k))
        put_bits(contents, in_cta(row / (p.m / ctas)) + p.place_a(row % (p.m / ctas), *stored),
                 p.a.of(p.value_a(row, k)), p.a.bits);
    for (std::uint32_t column = 0; column < p.n; ++column)
      put_bits(contents, in_cta(column / (p.n / ctas)) + p.place_b(column % (p.n / ctas), k),
               p.b.of(p.value_b(k, column)), p.b.bits);
  }
  for (std::uint32_t row = 0; row < p.m; ++row)
    for (std::uint32_t column = 0; column < p.n; ++column) {
      const Place at = p.place_d(row, column);
      contents.tensors.at(p.word(at.lane, at.column, at.cta)) = p.bits_d(TensorProduct::value_d(row, column));
    }
  p.prepare(contents);
  return contents;
}

// Where B begins in shared memory.
inline constexpr std::uint32_t begin_b = 16384;

// Rows of A in core matrices of 32 bytes along k, columns of B of so many.
inline TensorProduct product_of(const std::string& name, std::uint32_t k, const NumberFormat& a,
                                const NumberFormat& b, std::uint32_t bytes_b = 32) {
  TensorProduct p;
  p.name = "tcgen05." + name;
  p.k = k;
  p.a = a;
  p.b = b;
  p.place_a = in_core_matrices(0, 256, a.bits);
  p.place_b = in_core_matrices(begin_b, 8 * bytes_b, b.bits);
  p.descriptor_a = tensor_descriptor(0, 128, 256);
  p.descriptor_b = tensor_descriptor(begin_b, 128, 8 * bytes_b);
  return p;
}

inline std::string error_of_product(const TensorProduct& p) {
  const TensorCase c = p.tensor_case();
  return TensorRun(c, contents_of(p, c)).error();
}

inline void expect_product(const TensorProduct& p) {
  const TensorCase c = p.tensor_case();
  const TensorRun run(c, contents_of(p, c));
  ASSERT_TRUE(run.succeeds()) << run.error();
  for (std::uint32_t row = 0; row < p.m; ++row)
    for (std::uint32_t column = 0; column < p.n; ++column) {
      int product = 0;
      for (std::uint32_t k = 0; k < p.k; ++k)
        product += p.stored(row, k)
                       ? p.value_a(row, k) * p.factor_a(row, k) * p.value_b(k, column) * p.factor_b(column, k)
                       : 0;
      const int d = p.adds ? TensorProduct::value_d(row, column) : 0;
      const Place at = p.place_d(row, column);
      ASSERT_EQ(run.at(at.lane, at.column, at.cta), p.bits_d(p.result(product, d, row, column)))
          << p.name << " row " << row << " column " << column;
    }
}

} // namespace kerncast::functional_test
