// tcgen05.mma of dense matrices by one CTA.
#include <gmock/gmock.h>

#include "tensor_product.h"

namespace kerncast::functional_test {
namespace {

using testing::HasSubstr;

TensorProduct dense_product(const std::string& kind, std::uint32_t k, const NumberFormat& a,
                            const NumberFormat& b) {
  return product_of("mma.cta_group::1.kind::" + kind, k, a, b);
}

// A's rows one behind the other in lanes, elements packed in columns from `first` on.
void put_rows(TensorContents& contents, const TensorProduct& p, std::uint32_t first, std::uint32_t bits,
              const std::function<std::uint32_t(std::uint32_t row)>& lane_of, std::uint32_t shift = 0) {
  for (std::uint32_t row = 0; row < p.m; ++row)
    for (std::uint32_t k = 0; k < p.k; ++k)
      contents.tensors.at(lane_of(row) * p.columns + first + k * bits / 32) |= p.a.of(p.value_a(row, k))
                                                                               << shift << (k * bits % 32);
}

TEST(TensorProducts, OfHalves) {
  TensorProduct p = dense_product("f16", 16, f16, f16);
  expect_product(p);
  p.adds = false;
  p.a = bf16;
  p.b = bf16;
  expect_product(p);
}

// The result in halves, each in the lower half of a word.
TEST(TensorProducts, AreRoundedToHalves) {
  TensorProduct p = dense_product("f16", 16, f16, f16);
  p.type_d = 0;
  p.bits_d = half;
  expect_product(p);
}

// 64 rows have 16 lanes of each warp, here the upper ones. A's rows have 128 bytes whose 16-byte pieces
// change places with the row.
TEST(TensorProducts, Of64RowsWithSwizzle) {
  TensorProduct p = dense_product("f16", 16, f16, f16);
  p.m = 64;
  p.n = 8;
  p.place_a = [](std::uint32_t row, std::uint32_t k) {
    const std::uint32_t byte = 32 + 2 * k; // the second step over k
    return 8 * (row * 128 + (byte / 16 ^ row % 8) * 16 + byte % 16);
  };
  p.descriptor_a = tensor_descriptor(32, 16, 1024, 2);
  p.d_offset = 16 << 16;
  p.place_d = [](std::uint32_t row, std::uint32_t column) {
    return Place{16 + row % 16 + row / 16 * 32, column, 0};
  };
  expect_product(p);
}

// Neighbours differ in m or n. 32 of them have 128 bytes, rows of which follow for four k; 32-byte pieces
// change places with k.
TEST(TensorProducts, OfTransposedWords) {
  TensorProduct p = dense_product("tf32", 8, tf32, tf32);
  const auto place = [](std::uint32_t begin, std::uint32_t row, std::uint32_t k) {
    const std::uint32_t byte = row % 32 * 4;
    return 8 * (begin + row / 32 * 1024 + k / 4 * 512 + k % 4 * 128 + (byte / 32 ^ k % 4) * 32 + byte % 32);
  };
  p.place_a = [=](std::uint32_t row, std::uint32_t k) { return place(0, row, k); };
  p.place_b = [=](std::uint32_t row, std::uint32_t k) { return place(begin_b, row, k); };
  p.descriptor_a = tensor_descriptor(0, 1024, 512, 1);
  p.descriptor_b = tensor_descriptor(begin_b, 1024, 512, 1);
  p.more_bits = 1U << 15 | 1U << 16;
  expect_product(p);
  p.descriptor_b = tensor_descriptor(begin_b, 1024, 512, 2);
  EXPECT_THAT(error_of_product(p), HasSubstr("a swizzle that its elements do not have in this order"));
}

TEST(TensorProducts, OfWordsByRows) { expect_product(dense_product("tf32", 8, tf32, tf32)); }

// B in 64-byte rows of neighbours along n.
TEST(TensorProducts, OfTransposedHalves) {
  TensorProduct p = dense_product("f16", 16, f16, f16);
  p.place_b = [](std::uint32_t column, std::uint32_t k) {
    const std::uint32_t byte = column % 32 * 2;
    return 8 * (begin_b + k * 64 + (byte / 16 ^ k / 2 % 4) * 16 + byte % 16);
  };
  p.descriptor_b = tensor_descriptor(begin_b, 1024, 512, 4);
  p.more_bits = 1U << 16;
  expect_product(p);
}

TEST(TensorProducts, AreNegatedAndScaled) {
  TensorProduct p = dense_product("f16", 16, f16, f16);
  p.more_bits = 1U << 13;
  p.after = ", 1"; // D is halved
  p.result = [](int product, int d, std::uint32_t, std::uint32_t) { return d / 2 - product; };
  expect_product(p);
}

TEST(TensorProducts, LeaveDisabledLanes) {
  TensorProduct p = dense_product("f16", 16, f16, f16);
  p.setup = "mov.b32 %e1, 5;\nmov.b32 %e2, 0;\nmov.b32 %e3, 0x80000000;\nmov.b32 %e4, 1;\n";
  p.before = "{%e1, %e2, %e3, %e4}, ";
  p.result = [](int product, int d, std::uint32_t row, std::uint32_t) {
    return row == 0 || row == 2 || row == 95 || row == 96 ? d : product + d;
  };
  expect_product(p);
}

TEST(TensorProducts, OfNarrowFloats) {
  expect_product(dense_product("f8f6f4", 32, e4m3, e5m2));
  TensorProduct p = dense_product("f8f6f4", 32, e2m3, e2m1);
  p.place_a = padded_in_core_matrices(0, 256, 6);
  p.place_b = padded_in_core_matrices(begin_b, 256, 4);
  expect_product(p);
  p.a = e2m1;
  p.b = e3m2;
  p.place_a = padded_in_core_matrices(0, 256, 4);
  p.place_b = padded_in_core_matrices(begin_b, 256, 6);
  expect_product(p);
}

TEST(TensorProducts, OfBytes) {
  TensorProduct p = dense_product("i8", 32, s8, s8);
  p.type_d = 2;
  p.bits_d = word;
  expect_product(p);
  // B by columns, unsigned: 16 of n in 16 bytes, the next of k behind; the next 16 of n 128 bytes further,
  // the next 8 of k 256.
  p.b = u8;
  p.value_b = [](std::uint32_t k, std::uint32_t column) { return std::abs(tiny(k * 256 + column)); };
  p.place_b = [](std::uint32_t column, std::uint32_t k) {
    return 8 * (begin_b + k % 8 * 16 + k / 8 * 256 + column % 16 + column / 16 * 128);
  };
  p.descriptor_b = tensor_descriptor(begin_b, 256, 128);
  p.more_bits = 1U << 16;
  expect_product(p);
}

// Near the limit sums wrap, or stay there.
TEST(TensorProducts, OfBytesSaturate) {
  TensorProduct p = dense_product("i8", 32, s8, s8);
  p.type_d = 2;
  const auto near_limit = [](int value) { return 0x7fffffffU - static_cast<std::uint32_t>(8 - value); };
  p.bits_d = near_limit;
  p.more_bits = 1U << 3;
  p.result = [](int product, int d, std::uint32_t, std::uint32_t) { return std::min(product + d, 8); };
  expect_product(p);
  p.more_bits = 0;
  p.result = [](int product, int d, std::uint32_t, std::uint32_t) { return product + d; };
  expect_product(p);
}

// A behind D's columns: two halves in a word; elements of 6 and 4 bits in bytes, the latter in their middle.
TEST(TensorProducts, WithAInTensorMemory) {
  const auto same = [](std::uint32_t row) { return row; };
  TensorProduct p = dense_product("f16", 16, bf16, bf16);
  p.place_a = {};
  p.setup = "add.u32 %e1, %b, 40;\n";
  p.operand_a = "[%e1]";
  p.prepare = [&](TensorContents& contents) { put_rows(contents, p, 40, 16, same); };
  expect_product(p);
  p = dense_product("f8f6f4", 32, e3m2, e4m3);
  p.place_a = {};
  p.setup = "add.u32 %e1, %b, 40;\n";
  p.operand_a = "[%e1]";
  p.prepare = [&](TensorContents& contents) { put_rows(contents, p, 40, 8, same); };
  expect_product(p);
  p.a = e2m1;
  p.prepare = [&](TensorContents& contents) { put_rows(contents, p, 40, 8, same, 2); };
  expect_product(p);
}

// 64 rows have all lanes, the second half of the columns beside the first one; 32 rows four parts.
TEST(TensorProducts, WithStationaryWeights) {
  for (const std::uint32_t m : {128U, 64U, 32U}) {
    TensorProduct p = dense_product("f16", 16, f16, f16);
    p.name = "tcgen05.mma.ws.cta_group::1.kind::f16.collector::b1::fill";
    p.m = m;
    p.n = 64;
    p.columns = 128;
    p.place_d = [m](std::uint32_t row, std::uint32_t column) {
      const std::uint32_t each = 64 * m / 128;
      return Place{row + column / each * m, column % each, 0};
    };
    expect_product(p);
    // A in tensor memory beside each part.
    p.place_a = {};
    p.setup = "add.u32 %e1, %b, 100;\n";
    p.operand_a = "[%e1]";
    p.prepare = [&](TensorContents& contents) {
      for (std::uint32_t part = 0; part < 128 / m; ++part)
        put_rows(contents, p, 100, 16, [&](std::uint32_t row) { return row + part * m; });
    };
    expect_product(p);
  }
}

// Three columns are hidden and four shown in turn, beginning with two of the shown ones (the first two
// skipped) in the first half and with the hidden ones in the second.
TEST(TensorProducts, HideColumnsWithStationaryWeights) {
  TensorProduct p = dense_product("f16", 16, f16, f16);
  p.name = "tcgen05.mma.ws.cta_group::1.kind::f16";
  p.m = 64;
  p.n = 64;
  p.setup = fmt::format("mov.b64 %pa, {};\n", 2ULL | 1ULL << 33 | 1ULL << 39 | 2ULL << 40 | 3ULL << 48);
  p.after = ", %pa";
  p.place_d = [](std::uint32_t row, std::uint32_t column) {
    return Place{row + column / 32 * 64, column % 32, 0};
  };
  p.result = [](int product, int d, std::uint32_t, std::uint32_t column) {
    const bool hidden = column < 32 ? (column + 2) % 7 >= 4 : (column - 32) % 7 < 3;
    return hidden ? d : product + d;
  };
  expect_product(p);
}

TEST(TensorProducts, FaultsAreNamed) {
  const TensorProduct good = dense_product("f16", 16, f16, f16);
  TensorProduct p = good;
  p.more_bits = 1U << 9; // a's type 4
  EXPECT_THAT(error_of_product(p), HasSubstr("its descriptor names a type that its kind does not have"));
  p = good;
  p.more_bits = 1U << 26; // 192 rows
  p.m = 128;
  EXPECT_THAT(error_of_product(p), HasSubstr("names a shape that there is not"));
  p = good;
  p.more_bits = 1U << 2;
  EXPECT_THAT(error_of_product(p), HasSubstr("the sparsity of its descriptor and of its name differ"));
  p = good;
  p.descriptor_a = tensor_descriptor(0, 128, 256) & ~(std::uint64_t{1} << 46);
  EXPECT_THAT(error_of_product(p), HasSubstr("bits 46 to 48 are 0b001"));
  p = good;
  p.descriptor_b = tensor_descriptor(32752, 128, 256);
  EXPECT_THAT(error_of_product(p), HasSubstr("leads outside of shared memory"));
  p = good;
  p.d_offset = 40;
  EXPECT_THAT(error_of_product(p), HasSubstr("not allocated, at lane 0 column 64"));
  p = good;
  p.d_offset = 16 << 16;
  EXPECT_THAT(error_of_product(p), HasSubstr("tcgen05.mma into lane 16 of tensor memory"));
}

} // namespace
} // namespace kerncast::functional_test
