// tcgen05.mma with cta_group::2: the first CTA of a pair has the upper half of the rows and half of B's
// columns.
#include <gmock/gmock.h>

#include "tensor_product.h"

namespace kerncast::functional_test {
namespace {

// 256 rows fill the lanes of both CTAs; of 128 rows each CTA has 64, the second half of the columns beside
// the first one.
TensorProduct product_of_pair(const std::string& kind, std::uint32_t m, std::uint32_t k,
                              const NumberFormat& a, const NumberFormat& b) {
  TensorProduct p = product_of("mma.cta_group::2.kind::" + kind, k, a, b);
  p.m = m;
  p.n = 64;
  p.columns = 128;
  p.place_d = [m](std::uint32_t row, std::uint32_t column) {
    return m == 256 ? Place{row % 128, column, row / 128}
                    : Place{row % 64 + column / 32 * 64, column % 32, row / 64};
  };
  return p;
}

TEST(TensorProductsOfPairs, OfHalves) {
  expect_product(product_of_pair("f16", 256, 16, f16, f16));
  expect_product(product_of_pair("f16", 128, 16, f16, f16));
}

TEST(TensorProductsOfPairs, OfBytes) {
  TensorProduct p = product_of_pair("i8", 256, 32, s8, s8);
  p.type_d = 2;
  p.bits_d = word;
  expect_product(p);
}

// Each CTA's rows, of 64 beside each half of the columns.
TEST(TensorProductsOfPairs, WithAInTensorMemory) {
  for (const std::uint32_t m : {256U, 128U}) {
    TensorProduct p = product_of_pair("f16", m, 16, f16, f16);
    p.place_a = {};
    p.setup = "add.u32 %e1, %b, 100;\n";
    p.operand_a = "[%e1]";
    p.prepare = [&](TensorContents& contents) {
      for (std::uint32_t lane = 0; lane < 2 * tensor_lanes; ++lane)
        for (std::uint32_t k = 0; k < p.k; ++k) {
          const std::uint32_t cta = lane / tensor_lanes, row = lane % (m / 2) + cta * (m / 2);
          contents.tensors.at(p.word(lane, 100 + k / 2)) |= p.a.of(p.value_a(row, k)) << (k % 2 * 16);
        }
    };
    expect_product(p);
  }
}

// The first four words are lanes of the first CTA.
TEST(TensorProductsOfPairs, LeaveDisabledLanes) {
  TensorProduct p = product_of_pair("f16", 256, 16, f16, f16);
  p.setup = "mov.b32 %e1, 1;\nmov.b32 %e2, 0;\nmov.b32 %e3, 4;\n";
  p.before = "{%e1, %e2, %e2, %e2, %e2, %e2, %e2, %e3}, ";
  p.result = [](int product, int d, std::uint32_t row, std::uint32_t) {
    return row == 0 || row == 128 + 96 + 2 ? d : product + d;
  };
  expect_product(p);
}

int factor_of_line(std::uint32_t line) { return 1 + static_cast<int>(scrambled(line) % 2); }

// Of lines l, l + 32, ... those of lane l of each 32, in one column after the other.
void put_factors_of_lines(TensorContents& contents, const TensorProduct& p, Place first, std::uint32_t lines,
                          std::uint32_t first_line) {
  for (std::uint32_t line = 0; line < lines; ++line)
    contents.tensors.at(p.word(first.lane + line % 32, first.column + line / 32, first.cta)) =
        factor_of_line(first_line + line) == 2 ? 128 : 127;
}

// Each CTA has the factors of its rows and of all columns; with 64 rows, of the columns that lie there.
TEST(TensorProductsOfPairs, AreScaled) {
  for (const std::uint32_t m : {256U, 128U}) {
    TensorProduct p = product_of_pair("mxf8f6f4.block_scale", m, 32, e4m3, e4m3);
    p.type_d = 0;
    p.more_bits = 1U << 23;
    p.setup = "add.u32 %e2, %b, 80;\nadd.u32 %e3, %b, 90;\n";
    p.before = "[%e2], [%e3], ";
    p.factor_a = [](std::uint32_t line, std::uint32_t) { return factor_of_line(line); };
    p.factor_b = [](std::uint32_t line, std::uint32_t) { return factor_of_line(1000 + line); };
    p.prepare = [&](TensorContents& contents) {
      for (std::uint32_t part = 0; part < 8; ++part) { // of the lanes of both CTAs
        const std::uint32_t cta = part / 4, lane = part % 4 * 32;
        put_factors_of_lines(contents, p, {lane, 80, cta}, m / 2, cta * (m / 2));
        put_factors_of_lines(contents, p, {lane, 90, cta}, m == 256 ? 64 : 32,
                             1000 + (m == 256 ? 0 : lane / 64 * 32));
      }
    };
    expect_product(p);
  }
}

TEST(TensorProductsOfPairs, NeedAPair) {
  TensorCase c{"tcgen05.shift.cta_group::2.down [%b];\n", 32, 0, false};
  std::string text = tensor_kernel(c);
  for (std::size_t at = text.find("cta_group::1"); at != std::string::npos; at = text.find("cta_group::1"))
    text.replace(at, 12, "cta_group::2");
  const TensorContents before(c);
  Device device;
  const Argument t = device.buffer(before.tensors);
  const auto result = device.try_run(Code::of_text(text), {1}, {tensor_lanes}, {t, t, t});
  EXPECT_THAT(error_of(result), testing::HasSubstr("a CTA whose pair in its cluster is not there"));
}

} // namespace
} // namespace kerncast::functional_test
