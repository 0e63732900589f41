// mma on formats of 8, 6 and 4 bits, their scale factors, and the loads and stores of such matrices, against
// the host's products. Where lanes hold what is written out as the manual does.
#include <cmath>

#include <fmt/ranges.h>

#include "small_numbers.h"
#include "target_kernel.h"

namespace kerncast::functional_test::block_scales {
namespace {

// The codes of 0 to 4, the sign bit, and where the code begins in its container.
struct Format {
  std::string name;
  std::array<std::uint32_t, 5> codes;
  std::uint32_t sign = 0, shift = 0;

  std::uint32_t code(int value) const {
    return (codes[static_cast<std::size_t>(std::abs(value))] | (value < 0 ? sign : 0)) << shift;
  }
};
const Format e4m3{"e4m3", {0, 0x38, 0x40, 0x44, 0x48}, 0x80};
const Format e5m2{"e5m2", {0, 0x3c, 0x40, 0x42, 0x44}, 0x80};
const Format e3m2{"e3m2", {0, 0x0c, 0x10, 0x12, 0x14}, 0x20};
const Format e2m3{"e2m3", {0, 0x08, 0x10, 0x14, 0x18}, 0x20};
const Format e2m1_in_byte{"e2m1", {0, 2, 4, 5, 6}, 8, 2};
const Format e2m1{"e2m1", {0, 2, 4, 5, 6}, 8};

struct Selector {
  std::uint32_t byte = 0, thread = 0;
};
struct Case {
  std::string kind; // with what follows of the opcode, up to the types
  std::uint32_t k = 0;
  const Format& a;
  const Format& b;
  std::uint32_t packed = 4; // elements in a register
  std::uint32_t parts = 0;  // with a factor each; 0: none
  Selector selector_a = {}, selector_b = {};
  bool has_mantissas = false; // factors are ue4m3, not ue8m0
  bool is_sparse = false;
};

std::uint32_t stored_columns(const Case& c) { return c.is_sparse ? c.k / 2 : c.k; }

// Even rows store the first two of four columns (pairs of 4-bit elements), odd rows the last two.
std::uint32_t column_of(const Case& c, std::uint32_t row, std::uint32_t stored) {
  if (!c.is_sparse)
    return stored;
  const std::uint32_t together = c.packed == 8 ? 4 : 2;
  return stored / together * 2 * together + stored % together + (row % 2 == 0 ? 0 : together);
}

// A byte of a lane's factors; every lane and byte another one.
std::uint32_t factor_code(const Case& c, std::uint32_t lane, std::uint32_t byte, std::uint32_t operand) {
  const std::uint32_t choice = scrambled(4 * lane + byte + 1000 * operand);
  constexpr std::uint32_t simple[] = {0x30, 0x38, 0x40, 0x44}; // 1/2, 1, 2, 3
  return c.has_mantissas ? simple[choice % 4] : 125 + choice % 5;
}
double factor_value(const Case& c, std::uint32_t code) {
  if (!c.has_mantissas)
    return std::ldexp(1.0, static_cast<int>(code) - 127);
  return code == 0x30 ? 0.5 : code == 0x38 ? 1 : code == 0x40 ? 2 : 3;
}
double factor_a(const Case& c, std::uint32_t row, std::uint32_t column) {
  if (c.parts == 0)
    return 1;
  const std::uint32_t lane = 4 * (row % 8) + 2 * c.selector_a.thread + row / 8;
  return factor_value(c, factor_code(c, lane, c.selector_a.byte + column / (c.k / c.parts), 0));
}
double factor_b(const Case& c, std::uint32_t row, std::uint32_t column) {
  if (c.parts == 0)
    return 1;
  const std::uint32_t lane = 4 * column + c.selector_b.thread;
  return factor_value(c, factor_code(c, lane, c.selector_b.byte + row / (c.k / c.parts), 1));
}

float expected(const Case& c, std::uint32_t row, std::uint32_t column) {
  double sum = value_c(row, column);
  for (std::uint32_t stored = 0; stored < stored_columns(c); ++stored) {
    const std::uint32_t k = column_of(c, row, stored);
    sum += value_a(row, stored) * factor_a(c, row, k) * value_b(k, column) * factor_b(c, k, column);
  }
  return static_cast<float>(sum);
}

// What a lane gives, word by word: a, b, c, the metadata, and the factors of a and b.
Words lane_words(const Case& c, std::uint32_t lane) {
  const std::uint32_t group = lane / 4, in_group = lane % 4, width = 32 / c.packed;
  Words words(4 + c.k / c.packed / 4 + 4 + 3);
  const std::uint32_t first_b = 4, first_c = first_b + c.k / c.packed / 4;
  for (std::uint32_t r = 0; r < 4; ++r)
    for (std::uint32_t e = 0; e < c.packed; ++e) {
      const std::uint32_t row = group + 8 * (r % 2), stored = in_group * c.packed + e + r / 2 * 4 * c.packed;
      words[r] |= c.a.code(value_a(row, stored)) << (e * width);
    }
  for (std::uint32_t r = 0; r < first_c - first_b; ++r)
    for (std::uint32_t e = 0; e < c.packed; ++e)
      words[first_b + r] |= c.b.code(value_b(in_group * c.packed + e + r * 4 * c.packed, group))
                            << (e * width);
  for (std::uint32_t i = 0; i < 4; ++i)
    words[first_c + i] =
        std::bit_cast<std::uint32_t>(static_cast<float>(value_c(group + 8 * (i / 2), 2 * in_group + i % 2)));
  words[first_c + 4] = group % 2 == 0 ? 0x44444444 : 0xeeeeeeee;
  for (std::uint32_t byte = 0; byte < 4; ++byte) {
    words[first_c + 5] |= factor_code(c, lane, byte, 0) << (8 * byte);
    words[first_c + 6] |= factor_code(c, lane, byte, 1) << (8 * byte);
  }
  return words;
}

std::string registers(const char* prefix, std::uint32_t count) {
  std::vector<std::string> names;
  for (std::uint32_t r = 0; r < count; ++r)
    names.push_back(fmt::format("{}{}", prefix, r));
  return fmt::format("{{{}}}", fmt::join(names, ", "));
}

std::string text_of(const Case& c, std::uint32_t words) {
  const std::uint32_t count_b = c.k / c.packed / 4;
  std::string body = fmt::format("mul.wide.u32 %l, %t, {};\nadd.u64 %pa, %a, %l;\n.reg .b32 %r<{}>;\n"
                                 ".reg .b32 %ra<4>, %rb<8>;\n.reg .f32 %rc<4>;\n",
                                 4 * words, words);
  const auto load = [&](const std::string& into, std::uint32_t word) {
    body += fmt::format("ld.global.b32 {}, [%pa+{}];\n", into, 4 * word);
  };
  for (std::uint32_t r = 0; r < 4; ++r)
    load(fmt::format("%ra{}", r), r);
  for (std::uint32_t r = 0; r < count_b; ++r)
    load(fmt::format("%rb{}", r), 4 + r);
  for (std::uint32_t r = 0; r < 4; ++r)
    load(fmt::format("%rc{}", r), 4 + count_b + r);
  load("%x", 8 + count_b);
  load("%y", 9 + count_b);
  load("%z", 10 + count_b);
  body += fmt::format("mma{}.sync.aligned.m16n8k{}.row.col.{}.f32.{}.{}.f32{} {}, {}, {}, {}{}",
                      c.is_sparse ? ".sp::ordered_metadata" : "", c.k, c.kind, c.a.name, c.b.name,
                      c.parts == 0      ? ""
                      : c.has_mantissas ? ".ue4m3"
                                        : ".ue8m0",
                      registers("%rc", 4), registers("%ra", 4), registers("%rb", count_b),
                      registers("%rc", 4), c.is_sparse ? ", %x, 0" : "");
  if (c.parts > 0)
    body += fmt::format(", %y, {{{}, {}}}, %z, {{{}, {}}}", c.selector_a.byte, c.selector_a.thread,
                        c.selector_b.byte, c.selector_b.thread);
  body += ";\nmul.wide.u32 %l, %t, 16;\nadd.u64 %pb, %b, %l;\nst.global.v4.f32 [%pb], " +
          registers("%rc", 4) + ";";
  return on_target("sm_120a", text_kernel(body));
}

void expect_product(const Case& c) {
  Words in;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const Words words = lane_words(c, lane);
    in.insert(in.end(), words.begin(), words.end());
  }
  const Code code = Code::of_text(text_of(c, static_cast<std::uint32_t>(in.size()) / 32));
  Device device;
  const Argument a = device.buffer(in), b = device.buffer(std::vector<float>(128));
  device.run(code, {1}, {32}, {a, b, integer(0)});
  const auto out = device.read<float>(b);
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    for (std::uint32_t i = 0; i < 4; ++i)
      EXPECT_EQ(out[4 * lane + i], expected(c, lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2))
          << c.kind << ' ' << c.a.name << ' ' << c.b.name << " lane " << lane << " register " << i;
}

TEST(NarrowMatrices, HoldSixAndFourBitsInBytes) {
  for (const Format* a : {&e4m3, &e5m2, &e3m2, &e2m3, &e2m1_in_byte})
    expect_product({"kind::f8f6f4", 32, *a, e2m3});
  expect_product({"kind::f8f6f4", 32, e3m2, e2m1_in_byte});
  expect_product({.kind = "kind::f8f6f4", .k = 64, .a = e2m1_in_byte, .b = e3m2, .is_sparse = true});
}

TEST(BlockScales, OfBytesAreOnePerRowAndColumn) {
  for (const auto& [of_a, of_b] :
       {std::pair(Selector{0, 0}, Selector{0, 0}), std::pair(Selector{3, 1}, Selector{2, 3}),
        std::pair(Selector{1, 0}, Selector{3, 2})})
    expect_product({"kind::mxf8f6f4.block_scale.scale_vec::1X", 32, e4m3, e2m1_in_byte, 4, 1, of_a, of_b});
  expect_product({.kind = "kind::mxf8f6f4.block_scale",
                  .k = 64,
                  .a = e3m2,
                  .b = e5m2,
                  .parts = 1,
                  .selector_a = {2, 1},
                  .selector_b = {1, 1},
                  .is_sparse = true});
}

TEST(BlockScales, OfFourBitsAreTwoOrFour) {
  expect_product({"kind::mxf4.block_scale", 64, e2m1, e2m1, 8, 2, {2, 1}, {0, 3}});
  expect_product({"kind::mxf4nvf4.block_scale.scale_vec::2X", 64, e2m1, e2m1, 8, 2, {0, 0}, {2, 1}});
  expect_product({"kind::mxf4nvf4.block_scale.scale_vec::4X", 64, e2m1, e2m1, 8, 4, {0, 1}, {0, 2}, true});
  expect_product({"kind::mxf4.block_scale", 128, e2m1, e2m1, 8, 2, {2, 0}, {2, 2}, false, true});
  expect_product(
      {"kind::mxf4nvf4.block_scale.scale_vec::4X", 128, e2m1, e2m1, 8, 4, {0, 0}, {0, 1}, true, true});
  expect_product({"kind::mxf4nvf4.block_scale.scale_vec::4X", 64, e2m1, e2m1, 8, 4, {0, 1}, {0, 3}});
  expect_product(
      {"kind::mxf4nvf4.block_scale.scale_vec::4X", 128, e2m1, e2m1, 8, 4, {0, 1}, {0, 0}, false, true});
}

// Rows of 16 bytes from a to shared memory, then `body` with the address of the lane's row in %z.
Words after_rows(const std::string& body, const Words& rows) {
  return words_after_on("sm_100a",
                        "mov.u32 %z, s;\nmad.lo.u32 %z, %t, 16, %z;\nmul.wide.u32 %l, %t, 16;\n"
                        "add.u64 %l, %a, %l;\nld.global.v4.b32 {%x, %y, %w, %n}, [%l];\n"
                        "st.shared.v4.b32 [%z], {%x, %y, %w, %n};\nbar.sync 0;\n" +
                            body + "\nst.global.b32 [%pb], %x;",
                        rows, 32, ".shared .align 16 .b8 s[512];\n");
}

// Element e of row r, packed into as many bits.
std::uint32_t element(std::uint32_t row, std::uint32_t e, std::uint32_t bits) {
  return scrambled(row * 16 + e) & ((1U << bits) - 1);
}
Words packed_rows(std::uint32_t bits) {
  Words rows(128, bits == 8 ? 0 : 0xa5a5a5a5); // the padding
  for (std::uint32_t bit = 0; bit < 32 * 16 * bits; ++bit) {
    const std::uint32_t row = bit / (16 * bits), at = bit % (16 * bits);
    const std::uint32_t value = element(row, at / bits, bits) >> (at % bits) & 1;
    std::uint32_t& word = rows[4 * row + at / 32];
    word = (word & ~(1U << (at % 32))) | value << (at % 32);
  }
  return rows;
}

TEST(ByteMatrices, AreLoadedTransposedFourColumnsALane) {
  for (const auto& [form, bits] :
       {std::pair("b8", 8U), std::pair("b8x16.b6x16_p32", 6U), std::pair("b8x16.b4x16_p64", 4U)})
    for (std::uint32_t r = 0; r < 4; ++r) {
      const Words out = after_rows(fmt::format("ldmatrix.sync.aligned.m16n16.x2.trans.shared.{} "
                                               "{{%r0, %r1, %r2, %r3}}, [%z];\nmov.b32 %x, %r{};",
                                               form, r)
                                       .insert(0, ".reg .b32 %r<4>;\n"),
                                   packed_rows(bits));
      for (std::uint32_t lane = 0; lane < 32; ++lane)
        for (std::uint32_t j = 0; j < 4; ++j)
          EXPECT_EQ(out[lane] >> (8 * j) & 0xff,
                    element(r / 2 * 16 + lane % 4 * 4 + j, lane / 4 + r % 2 * 8, bits))
              << form << " lane " << lane << " register " << r;
    }
}

TEST(ByteMatrices, AreLoadedByRowsFromSixOrFourBits) {
  for (const auto& [form, bits] : {std::pair("b6x16_p32", 6U), std::pair("b4x16_p64", 4U)})
    for (std::uint32_t r = 0; r < 4; ++r) {
      const Words out =
          after_rows(fmt::format(".reg .b32 %r<4>;\nldmatrix.sync.aligned.m8n16.x4.shared.b8x16.{} "
                                 "{{%r0, %r1, %r2, %r3}}, [%z];\nmov.b32 %x, %r{};",
                                 form, r),
                     packed_rows(bits));
      for (std::uint32_t lane = 0; lane < 32; ++lane)
        for (std::uint32_t j = 0; j < 4; ++j)
          EXPECT_EQ(out[lane] >> (8 * j) & 0xff, element(8 * r + lane / 4, lane % 4 * 4 + j, bits))
              << form << " lane " << lane << " register " << r;
    }
}

// Byte e of lane t is of row t / 4 + 8 (e / 2) and column 2 (t % 4) + e % 2, and columns are rows in memory.
TEST(ByteMatrices, AreStoredTransposed) {
  const Words out = after_rows("mul.lo.u32 %x, %t, 4;\nmad.lo.u32 %x, %x, 0x01010101, 0x03020100;\n"
                               "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%z], {%x};\nbar.sync 0;\n"
                               "mov.u32 %z, s;\nmad.lo.u32 %z, %t, 4, %z;\nld.shared.b32 %x, [%z];",
                               Words(128));
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    for (std::uint32_t e = 0; e < 4; ++e) {
      const std::uint32_t at = (2 * (lane % 4) + e % 2) * 16 + lane / 4 + 8 * (e / 2);
      EXPECT_EQ(out[at / 4] >> (at % 4 * 8) & 0xff, 4 * lane + e);
    }
}

} // namespace
} // namespace kerncast::functional_test::block_scales
