// tcgen05.mma.sp: of each row of A half is stored, and metadata in tensor memory say which.
#include <gmock/gmock.h>

#include "tensor_product.h"

namespace kerncast::functional_test {
namespace {

constexpr std::uint32_t begin_metadata = 64;

// Of each four elements two are stored, or pairs of elements; the lower one first.
std::array<std::uint32_t, 2> stored_of(std::uint32_t row, std::uint32_t chunk) {
  constexpr std::array<std::uint32_t, 2> pairs[] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  return pairs[(7 * row + 3 * chunk) % std::size(pairs)];
}
std::uint32_t code_of(std::uint32_t row, std::uint32_t chunk) {
  return stored_of(row, chunk)[0] | stored_of(row, chunk)[1] << 2;
}
std::optional<std::uint32_t> stored_in_fours(std::uint32_t row, std::uint32_t k) {
  const auto stored = stored_of(row, k / 4);
  if (k % 4 != stored[0] && k % 4 != stored[1])
    return std::nullopt;
  return k / 4 * 2 + (k % 4 == stored[1] ? 1 : 0);
}
std::optional<std::uint32_t> stored_in_pairs(std::uint32_t row, std::uint32_t k) {
  const auto pair = stored_in_fours(row, k / 2);
  return pair ? std::optional(*pair * 2 + k % 2) : std::nullopt;
}

// Of two words one.
bool is_second_stored(std::uint32_t row, std::uint32_t chunk) { return scrambled(row * 8 + chunk) % 2 != 0; }
std::uint32_t code_of_words(std::uint32_t row, std::uint32_t chunk) {
  return is_second_stored(row, chunk) ? 0b1110 : 0b0100;
}
std::optional<std::uint32_t> stored_words(std::uint32_t row, std::uint32_t k) {
  return (k % 2 != 0) == is_second_stored(row, k / 2) ? std::optional(k / 2) : std::nullopt;
}

using CodeOf = std::uint32_t (*)(std::uint32_t row, std::uint32_t chunk);

// Elements of 16 and 32 bits have eight codes in a row. Of 16 lanes each the first eight have the first four
// codes of their rows, in the lower halves of words, and of the rows eight further, in the upper halves; the
// other eight lanes have the last four.
void put_wide(TensorContents& contents, const TensorProduct& p, std::uint32_t column, CodeOf code,
              std::uint32_t rows = 128) {
  for (std::uint32_t lane = 0; lane < tensor_lanes; ++lane) {
    const std::uint32_t row = lane % rows / 16 * 16 + lane % 8, first = lane / 8 % 2 * 4;
    std::uint32_t word = 0;
    for (std::uint32_t i = 0; i < 4; ++i)
      word |= code(row, first + i) << (4 * i) | code(row + 8, first + i) << (16 + 4 * i);
    contents.tensors.at(p.word(lane, column)) = word;
  }
}

// Others have sixteen, in two columns of the row's lane.
void put_narrow(TensorContents& contents, const TensorProduct& p, std::uint32_t column) {
  for (std::uint32_t row = 0; row < p.m; ++row)
    for (std::uint32_t chunk = 0; chunk < 16; ++chunk)
      contents.tensors.at(p.word(row, column + chunk / 8)) |= code_of(row, chunk) << (chunk % 8 * 4);
}

// Rows of A have 32 bytes, those of B 64.
TensorProduct sparse_product(const std::string& kind, std::uint32_t k, const NumberFormat& a,
                             const NumberFormat& b) {
  TensorProduct p = product_of("mma.sp.cta_group::1.kind::" + kind, k, a, b, 64);
  p.columns = 128;
  p.setup = fmt::format("add.u32 %e2, %b, {};\n", begin_metadata);
  p.metadata = "[%e2], ";
  p.more_bits = 1U << 2;
  p.stored = stored_in_fours;
  return p;
}

// The selector is added to the column.
TEST(SparseTensorProducts, OfHalves) {
  for (const std::uint32_t selector : {0U, 1U}) {
    TensorProduct p = sparse_product("f16", 32, f16, bf16);
    p.b = f16;
    p.more_bits |= selector;
    p.prepare = [&](TensorContents& contents) { put_wide(contents, p, begin_metadata + selector, code_of); };
    expect_product(p);
  }
}

TEST(SparseTensorProducts, OfWords) {
  TensorProduct p = sparse_product("tf32", 16, tf32, tf32);
  p.stored = stored_words;
  p.prepare = [&](TensorContents& contents) { put_wide(contents, p, begin_metadata, code_of_words); };
  expect_product(p);
}

TEST(SparseTensorProducts, OfBytes) {
  TensorProduct p = sparse_product("i8", 64, s8, s8);
  p.type_d = 2;
  p.bits_d = word;
  p.prepare = [&](TensorContents& contents) { put_narrow(contents, p, begin_metadata); };
  expect_product(p);
  p = sparse_product("f8f6f4", 64, e5m2, e4m3);
  p.prepare = [&](TensorContents& contents) { put_narrow(contents, p, begin_metadata); };
  expect_product(p);
}

// Pairs of elements of 4 bits, with factors of 1.
TEST(SparseTensorProducts, OfPairsOfPackedElements) {
  TensorProduct p = sparse_product("mxf4.block_scale", 128, e2m1_alone, e2m1_alone);
  p.stored = stored_in_pairs;
  p.type_d = 0;
  p.more_bits |= 1U << 23;
  p.setup += "add.u32 %e3, %b, 72;\nadd.u32 %e4, %b, 76;\n";
  p.before = "[%e3], [%e4], ";
  p.prepare = [&](TensorContents& contents) {
    put_narrow(contents, p, begin_metadata);
    for (std::uint32_t lane = 0; lane < tensor_lanes; ++lane)
      for (std::uint32_t column = 72; column < 80; ++column)
        contents.tensors.at(p.word(lane, column)) = 0x7f7f7f7f;
  };
  expect_product(p);
}

// With 64 rows the metadata lie beside both halves of the columns.
TEST(SparseTensorProducts, WithStationaryWeights) {
  TensorProduct p = sparse_product("f16", 32, f16, f16);
  p.name = "tcgen05.mma.ws.sp.cta_group::1.kind::f16";
  p.m = 64;
  p.n = 64;
  p.place_d = [](std::uint32_t row, std::uint32_t column) {
    return Place{row + column / 32 * 64, column % 32, 0};
  };
  p.prepare = [&](TensorContents& contents) { put_wide(contents, p, begin_metadata, code_of, 64); };
  expect_product(p);
}

TEST(SparseTensorProducts, FaultsAreNamed) {
  TensorProduct p = sparse_product("f16", 32, f16, f16);
  EXPECT_THAT(error_of_product(p), testing::HasSubstr("metadata 0x0 of row 0 of A, which have no meaning"));
  p.more_bits |= 2;
  EXPECT_THAT(error_of_product(p), testing::HasSubstr("a sparsity selector, or a column of metadata"));
  p = sparse_product("f16", 32, f16, f16);
  p.m = 64;
  EXPECT_THAT(error_of_product(p), testing::HasSubstr("a sparse product of 64 rows in a CTA"));
}

} // namespace
} // namespace kerncast::functional_test
