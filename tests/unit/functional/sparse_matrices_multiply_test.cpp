// mma.sp: of each four neighbours of a row of a two are stored (of tf32 one of two, of 4-bit elements two of
// four pairs), and metadata say which. Where metadata lie is written out as the manual does, bit by bit.
#include <fmt/ranges.h>

#include "small_numbers.h"
#include "text_kernel.h"

namespace kerncast::functional_test::sparse_matrices {
namespace {

std::uint32_t byte(int value) { return static_cast<std::uint32_t>(value) & 0xff; }
std::uint32_t nibble(int value) { return static_cast<std::uint32_t>(value) & 0xf; }

struct Case {
  std::string operation;
  std::uint32_t k, packed; // elements in a register
  std::uint32_t (*bits)(int);
  std::uint32_t (*bits_d)(int);
  std::uint32_t selector;
};

// Two of four places, in order: the codes that the manual allows.
std::uint32_t code_of(const Case& c, std::uint32_t row, std::uint32_t chunk) {
  constexpr std::uint32_t two_of_four[] = {0x4, 0x8, 0x9, 0xc, 0xd, 0xe};
  const std::uint32_t choice = scrambled(777 + row * 32 + chunk);
  if (c.packed == 1)
    return choice % 2 == 0 ? 0x4 : 0xe; // the first or the second tf32 of two
  return two_of_four[choice % 6];
}

// Column of a stored element.
std::uint32_t column_of(const Case& c, std::uint32_t row, std::uint32_t stored) {
  if (c.packed == 1)
    return 2 * stored + (code_of(c, row, stored) == 0xe ? 1 : 0);
  if (c.packed == 8)
    return stored / 4 * 8 + 2 * (code_of(c, row, stored / 4) >> (stored / 2 % 2 * 2) & 3) + stored % 2;
  return stored / 2 * 4 + (code_of(c, row, stored / 2) >> (stored % 2 * 2) & 3);
}

// A row's codes one behind the other: 16, 32 or 64 bits.
std::uint64_t metadata_of(const Case& c, std::uint32_t row) {
  const std::uint32_t chunks = c.packed == 1 ? c.k / 2 : c.packed == 8 ? c.k / 8 : c.k / 4;
  std::uint64_t bits = 0;
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk)
    bits |= std::uint64_t{code_of(c, row, chunk)} << (4 * chunk);
  return bits;
}

// What a lane gives; garbage where nobody looks.
std::uint32_t metadata_register(const Case& c, std::uint32_t lane) {
  const std::uint32_t group = lane / 4, in_group = lane % 4;
  if (c.packed >= 4) { // rows g and g + 8 take turns, 32 bits each
    const std::uint32_t first = 2 * c.selector;
    if (in_group < first)
      return 0xffffffff;
    return static_cast<std::uint32_t>(metadata_of(c, group + (in_group - first) % 2 * 8) >>
                                      ((in_group - first) / 2 * 32 % 64));
  }
  const std::uint32_t lanes = c.packed == 1 ? c.k / 8 : c.k / 16, first = c.selector * lanes;
  if (in_group < first || in_group >= first + lanes)
    return 0xffffffff;
  const std::uint32_t shift = 16 * (in_group - first);
  return static_cast<std::uint32_t>((metadata_of(c, group) >> shift & 0xffff) |
                                    (metadata_of(c, group + 8) >> shift & 0xffff) << 16);
}

// Registers of a lane: a alternates between rows g and g + 8, then steps along k; b steps along k.
Words registers_of(const Case& c, std::uint32_t lane) {
  Words registers;
  const std::uint32_t group = lane / 4, in_group = lane % 4, width = 32 / c.packed;
  const auto pack = [&](auto value) {
    std::uint32_t bits = 0;
    for (std::uint32_t e = 0; e < c.packed; ++e)
      bits |= c.bits(value(e)) << (width * e % 32);
    registers.push_back(bits);
  };
  for (std::uint32_t r = 0; r < c.k / 2 / (2 * c.packed); ++r)
    pack([&](std::uint32_t e) {
      return value_a(group + r % 2 * 8, in_group * c.packed + e + r / 2 * 4 * c.packed);
    });
  for (std::uint32_t r = 0; r < c.k / (4 * c.packed); ++r)
    pack([&](std::uint32_t e) { return value_b(in_group * c.packed + e + r * 4 * c.packed, group); });
  registers.push_back(metadata_register(c, lane));
  return registers;
}

std::string names(char prefix, std::uint32_t first, std::uint32_t count) {
  std::vector<std::string> list;
  for (std::uint32_t r = first; r < first + count; ++r)
    list.push_back(fmt::format("%{}{}", prefix, r));
  return fmt::format("{{{}}}", fmt::join(list, ", "));
}

void expect_product(const Case& c) {
  const std::uint32_t of_a = c.k / (4 * c.packed), of_b = of_a, count = of_a + of_b + 1;
  Words in;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const Words registers = registers_of(c, lane);
    ASSERT_EQ(registers.size(), count);
    in.insert(in.end(), registers.begin(), registers.end());
  }
  std::string body = fmt::format(".reg .b32 %r<{}>, %c<4>;\nmul.wide.u32 %l, %t, {};\nadd.u64 %pa, %a, %l;\n"
                                 "mul.wide.u32 %l, %t, 16;\nadd.u64 %pb, %b, %l;\n",
                                 count, 4 * count);
  for (std::uint32_t r = 0; r < count; ++r)
    body += fmt::format("ld.global.b32 %r{}, [%pa+{}];\n", r, 4 * r);
  for (std::uint32_t r = 0; r < 4; ++r)
    body += fmt::format("mov.b32 %c{}, 0;\n", r);
  body += fmt::format("mma.sp.sync.aligned.{} {}, {}, {}, {}, %r{}, {};\n", c.operation, names('c', 0, 4),
                      names('r', 0, of_a), names('r', of_a, of_b), names('c', 0, 4), count - 1, c.selector);
  for (std::uint32_t r = 0; r < 4; ++r)
    body += fmt::format("st.global.b32 [%pb+{}], %c{};\n", 4 * r, r);
  const Code code = Code::of_text(text_kernel(body));
  Device device;
  const Argument out = device.buffer(Words(128));
  device.run(code, {1}, {32}, {device.buffer(in), out, integer(0)});
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    for (std::uint32_t r = 0; r < 4; ++r) {
      const std::uint32_t row = lane / 4 + r / 2 * 8, column = lane % 4 * 2 + r % 2;
      int sum = 0;
      for (std::uint32_t s = 0; s < c.k / 2; ++s)
        sum += value_a(row, s) * value_b(column_of(c, row, s), column);
      EXPECT_EQ(device.read<std::uint32_t>(out)[4 * lane + r], c.bits_d(sum))
          << c.operation << " row " << row << " column " << column;
    }
}

TEST(SparseMatrices, OfHalves) {
  for (const std::uint32_t selector : {0U, 3U})
    expect_product({"m16n8k16.row.col.f32.f16.f16.f32", 16, 2, half, single, selector});
  for (const std::uint32_t selector : {0U, 1U})
    expect_product({"m16n8k32.row.col.f32.f16.f16.f32", 32, 2, half, single, selector});
}

TEST(SparseMatrices, OfTf32) {
  expect_product({"m16n8k8.row.col.f32.tf32.tf32.f32", 8, 1, single, single, 2});
  expect_product({"m16n8k16.row.col.f32.tf32.tf32.f32", 16, 1, single, single, 1});
}

TEST(SparseMatrices, OfBytes) {
  expect_product({"m16n8k32.row.col.s32.s8.s8.s32", 32, 4, byte, word, 1});
  expect_product({"m16n8k64.row.col.s32.s8.s8.s32", 64, 4, byte, word, 0});
}

TEST(SparseMatrices, OfFourBits) {
  expect_product({"m16n8k64.row.col.s32.s4.s4.s32", 64, 8, nibble, word, 1});
  expect_product({"m16n8k128.row.col.s32.s4.s4.s32", 128, 8, nibble, word, 0});
}

} // namespace
} // namespace kerncast::functional_test::sparse_matrices
