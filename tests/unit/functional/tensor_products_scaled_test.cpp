// tcgen05.mma with block scales: factors of rows and columns lie in tensor memory, in all four parts of its
// lanes.
#include <gmock/gmock.h>

#include "tensor_product.h"

namespace kerncast::functional_test {
namespace {

constexpr std::uint32_t begin_factors_a = 64, begin_factors_b = 80;

// 1 or 2.
int factor(std::uint32_t line, std::uint32_t part) {
  return 1 + static_cast<int>(scrambled(7 * line + part) % 2);
}
std::uint32_t ue8m0(int value) { return value == 2 ? 128 : 127; }
std::uint32_t ue4m3(int value) { return value == 2 ? 0x40 : 0x38; }

// Of 32 rows each in one column after the other, `parts` bytes from byte `first` on.
void put_factors(TensorContents& contents, const TensorProduct& p, std::uint32_t column, std::uint32_t lines,
                 std::uint32_t seed, std::uint32_t parts, std::uint32_t first,
                 const std::function<std::uint32_t(int)>& bits) {
  for (std::uint32_t line = 0; line < lines; ++line)
    for (std::uint32_t part = 0; part < parts; ++part)
      for (std::uint32_t lane = line % 32; lane < tensor_lanes; lane += 32)
        contents.tensors.at(p.word(lane, column + line / 32)) |= bits(factor(seed + line, part))
                                                                 << (8 * (first + part));
}

TensorProduct scaled_product(const std::string& kind, std::uint32_t k, const NumberFormat& a,
                             const NumberFormat& b) {
  TensorProduct p = product_of("mma.cta_group::1.kind::" + kind, k, a, b);
  p.n = 64;
  p.columns = 128;
  p.setup = fmt::format("add.u32 %e2, %b, {};\nadd.u32 %e3, %b, {};\n", begin_factors_a, begin_factors_b);
  p.before = "[%e2], [%e3], ";
  p.type_d = 0;
  return p;
}

void expect_scaled(TensorProduct p, std::uint32_t parts, std::uint32_t first_a, std::uint32_t first_b,
                   bool has_ue8m0 = true) {
  p.more_bits |= first_a << 29 | first_b << 4 | (has_ue8m0 ? 1U << 23 : 0U);
  p.factor_a = [=](std::uint32_t line, std::uint32_t at) { return factor(line, at / (p.k / parts)); };
  p.factor_b = [=](std::uint32_t line, std::uint32_t at) { return factor(1000 + line, at / (p.k / parts)); };
  p.prepare = [=, &p](TensorContents& contents) {
    const auto bits = has_ue8m0 ? ue8m0 : ue4m3;
    put_factors(contents, p, begin_factors_a, p.m, 0, parts, first_a, bits);
    put_factors(contents, p, begin_factors_b, p.n, 1000, parts, first_b, bits);
  };
  expect_product(p);
}

// One factor for each row and column, in a byte that the descriptor names.
TEST(ScaledTensorProducts, OfBytes) {
  expect_scaled(scaled_product("mxf8f6f4.block_scale", 32, e4m3, e5m2), 1, 0, 0);
  expect_scaled(scaled_product("mxf8f6f4.block_scale.scale_vec::1X", 32, e4m3, e4m3), 1, 2, 3);
  TensorProduct p = scaled_product("mxf8f6f4.block_scale.block32", 32, e2m1, e3m2);
  p.place_a = padded_in_core_matrices(0, 256, 4);
  p.place_b = padded_in_core_matrices(begin_b, 256, 6);
  expect_scaled(p, 1, 1, 1);
}

// Two for each 32 elements of 4 bits, without padding.
TEST(ScaledTensorProducts, OfPackedElements) {
  expect_scaled(scaled_product("mxf4.block_scale", 64, e2m1_alone, e2m1_alone), 2, 0, 2);
  expect_scaled(scaled_product("mxf4nvf4.block_scale.scale_vec::2X", 64, e2m1_alone, e2m1_alone), 2, 2, 0);
}

// Four, of two types.
TEST(ScaledTensorProducts, OfSixteenElementsEach) {
  expect_scaled(scaled_product("mxf4nvf4.block_scale.scale_vec::4X", 64, e2m1_alone, e2m1_alone), 4, 0, 0,
                false);
  expect_scaled(scaled_product("mxf4nvf4.block_scale.block16", 64, e2m1_alone, e2m1_alone), 4, 0, 0, true);
}

TEST(ScaledTensorProducts, FaultsAreNamed) {
  const auto error = [](TensorProduct p, std::uint32_t bits) {
    p.more_bits = bits;
    return error_of_product(p);
  };
  const TensorProduct p = scaled_product("mxf4.block_scale", 64, e2m1_alone, e2m1_alone);
  EXPECT_THAT(error(p, 1U << 23 | 1U << 31), testing::HasSubstr("K of 96 is not supported"));
  EXPECT_THAT(error(p, 1U << 23 | 1U << 29), testing::HasSubstr("factors that begin within others"));
  EXPECT_THAT(error(p, 0), testing::HasSubstr("its kind has factors of the type ue8m0"));
}

} // namespace
} // namespace kerncast::functional_test
