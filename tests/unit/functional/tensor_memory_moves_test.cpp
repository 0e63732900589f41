// tcgen05.ld, st, cp and shift: which word of tensor memory goes where, written out for each shape.
#include <functional>

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "tensor_product.h"

namespace kerncast::functional_test {
namespace {

struct Word {
  std::uint32_t lane = 0, column = 0;
};
using WordOf = std::function<Word(std::uint32_t thread, std::uint32_t r)>;

// The names of as many registers.
std::string register_names(std::uint32_t count, std::string_view prefix) {
  std::vector<std::string> list;
  for (std::uint32_t r = 0; r < count; ++r)
    list.push_back(fmt::format("%{}{}", prefix, r));
  return fmt::format("{}", fmt::join(list, ", "));
}

// Words are numbered lane by lane; warps move between their lanes and a buffer of `registers` words for each
// thread, from the buffer if they store.
struct Move {
  std::string load, store; // the instructions' names
  std::string split;       // an operand of .16x32bx2
  std::uint32_t registers = 1;
  std::string more_destinations; // behind the loaded registers
  std::uint32_t results = 0;     // in %u0, ..., given back behind the registers
  std::string address = "%l";    // of the warp's first lane; %own: of the first one of all
};
constexpr std::uint32_t columns = 512;
std::uint32_t numbered(std::uint32_t lane, std::uint32_t column) { return lane << 16 | (column * 3 + 1); }

std::string move_kernel(const Move& m, bool stores) {
  const std::uint32_t count = m.registers + m.results;
  std::string gives, takes;
  for (std::uint32_t r = 0; r < m.registers; ++r) {
    gives += fmt::format("st.global.b32 [%m+{}], %d{};\n", 4 * r, r);
    takes += fmt::format("ld.global.b32 %d{}, [%m+{}];\n", r, 4 * r);
  }
  for (std::uint32_t r = 0; r < m.results; ++r)
    gives += fmt::format("st.global.b32 [%m+{}], %u{};\n", 4 * (m.registers + r), r);
  const std::string list = fmt::format("{{{}}}", register_names(m.registers, "d"));
  const std::string comma = m.split.empty() ? "" : ", ";
  const std::string move =
      stores ? fmt::format("{}{} [{}]{}{}, {};\n", takes, m.store, m.address, comma, m.split, list)
             : fmt::format("{} {}{}, [{}]{}{};\n{}", m.load, list, m.more_destinations, m.address, comma,
                           m.split, gives);
  return fmt::format(
      ".version 9.0\n.target sm_110a\n.address_size 64\n"
      ".visible .entry k(.param .u64 t, .param .u64 d)\n{{\n.shared .align 4 .b32 base;\n"
      ".reg .pred %p, %w;\n.reg .b32 %x, %y, %th, %wp, %l, %c;\n.reg .b32 %d<{}>;\n.reg .b32 %u<2>;\n.reg "
      ".b32 %own;\n"
      ".reg .b64 %t, %m, %lo, %at;\nld.param.u64 %t, [t];\nld.param.u64 %m, [d];\nmov.u32 %th, %tid.x;\n"
      "mul.wide.u32 %lo, %th, {};\nadd.u64 %m, %m, %lo;\nmul.wide.u32 %lo, %th, {};\nadd.u64 %t, %t, %lo;\n"
      "shr.u32 %wp, %th, 5;\nsetp.ne.u32 %w, %wp, 0;\n@%w bra A;\n"
      "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], 512;\nA:\nbar.sync 0;\n"
      "ld.shared.b32 %l, [base];\nmov.u32 %own, %l;\nshl.b32 %wp, %wp, 21;\nadd.u32 %l, %l, %wp;\nmov.u32 "
      "%c, 0;\n"
      "FILL:\nmul.wide.u32 %lo, %c, 4;\nadd.u64 %at, %t, %lo;\nld.global.b32 %x, [%at];\n"
      "add.u32 %y, %l, %c;\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%y], {{%x}};\nadd.u32 %c, %c, 1;\n"
      "setp.lt.u32 %p, %c, 512;\n@%p bra FILL;\n{}mov.u32 %c, 0;\n"
      "GIVE:\nadd.u32 %y, %l, %c;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {{%x}}, [%y];\n"
      "mul.wide.u32 %lo, %c, 4;\nadd.u64 %at, %t, %lo;\nst.global.b32 [%at], %x;\nadd.u32 %c, %c, 1;\n"
      "setp.lt.u32 %p, %c, 512;\n@%p bra GIVE;\nbar.sync 0;\nld.shared.b32 %l, [base];\n@%w bra E;\n"
      "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %l, 512;\nE:\nret;\n}}\n",
      m.registers, 4 * count, 4 * columns, move);
}

struct Moved {
  std::vector<std::uint32_t> tensors, registers;
};

Moved run_move(const Move& m, bool stores, const std::function<std::uint32_t(std::uint32_t)>& in_registers,
               const std::function<std::uint32_t(std::uint32_t, std::uint32_t)>& in_tensors = numbered) {
  Device device;
  const Argument t =
      device.buffer(generated<std::uint32_t>(std::size_t{tensor_lanes} * columns, [&](std::uint32_t k) {
        return in_tensors(k / columns, k % columns);
      }));
  const Argument d = device.buffer(
      generated<std::uint32_t>(std::size_t{tensor_lanes} * (m.registers + m.results), in_registers));
  device.run(Code::of_text(move_kernel(m, stores)), {1}, {tensor_lanes}, {t, d});
  return {device.read<std::uint32_t>(t), device.read<std::uint32_t>(d)};
}

void expect_loads(const Move& m, const WordOf& place, std::uint32_t packed_columns = 0) {
  const Moved moved = run_move(m, false, [](std::uint32_t) { return 0; });
  for (std::uint32_t thread = 0; thread < tensor_lanes; ++thread)
    for (std::uint32_t r = 0; r < m.registers; ++r) {
      const Word at = place(thread % 32, r);
      const std::uint32_t lane = thread / 32 * 32 + at.lane;
      const std::uint32_t expected =
          packed_columns == 0
              ? numbered(lane, at.column)
              : (numbered(lane, at.column) & 0xffff) | numbered(lane, at.column + packed_columns) << 16;
      ASSERT_EQ(moved.registers[thread * (m.registers + m.results) + r], expected)
          << m.load << " thread " << thread << " register " << r;
    }
}

void expect_stores(const Move& m, const WordOf& place, std::uint32_t packed_columns = 0) {
  const Moved moved = run_move(m, true, scrambled);
  auto expected = generated<std::uint32_t>(std::size_t{tensor_lanes} * columns, [](std::uint32_t k) {
    return numbered(k / columns, k % columns);
  });
  for (std::uint32_t thread = 0; thread < tensor_lanes; ++thread)
    for (std::uint32_t r = 0; r < m.registers; ++r) {
      const Word at = place(thread % 32, r);
      const std::uint32_t value = scrambled(thread * m.registers + r);
      const std::size_t word = std::size_t{thread / 32 * 32 + at.lane} * columns + at.column;
      expected[word] = packed_columns == 0 ? value : value & 0xffff;
      if (packed_columns != 0)
        expected[word + packed_columns] = value >> 16;
    }
  EXPECT_EQ(moved.tensors, expected) << m.store;
}

void expect_moves(const std::string& shape, std::uint32_t registers, const WordOf& place,
                  const std::string& split = "") {
  const Move m{"tcgen05.ld.sync.aligned." + shape + ".b32",
               "tcgen05.st.sync.aligned." + shape + ".b32",
               split,
               registers,
               "",
               0};
  expect_loads(m, place);
  expect_stores(m, place);
}

// One lane for each thread.
TEST(TensorMoves, Of32x32b) {
  for (const std::uint32_t x : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U})
    expect_moves(fmt::format("32x32b.x{}", x), x, [](std::uint32_t thread, std::uint32_t r) {
      return Word{thread, r};
    });
}

// Threads 0 and 2 have lane 0, threads 1 and 3 lane 8, and so on.
TEST(TensorMoves, Of16x64b) {
  for (const std::uint32_t x : {1U, 4U, 128U})
    expect_moves(fmt::format("16x64b.x{}", x), x, [](std::uint32_t thread, std::uint32_t r) {
      constexpr std::uint32_t lanes[] = {0, 8, 0, 8}, firsts[] = {0, 0, 1, 1};
      return Word{lanes[thread % 4] + thread / 4, firsts[thread % 4] + 2 * r};
    });
}

// Four threads have a word each of a lane, and of the lane eight further.
TEST(TensorMoves, Of16x128b) {
  for (const std::uint32_t x : {1U, 2U, 64U})
    expect_moves(fmt::format("16x128b.x{}", x), 2 * x, [](std::uint32_t thread, std::uint32_t r) {
      return Word{thread / 4 + (r % 2 == 0 ? 0U : 8U), thread % 4 + r / 2 * 4};
    });
}

// Two words each.
TEST(TensorMoves, Of16x256b) {
  for (const std::uint32_t x : {1U, 2U, 32U})
    expect_moves(fmt::format("16x256b.x{}", x), 4 * x, [](std::uint32_t thread, std::uint32_t r) {
      constexpr std::uint32_t lanes[] = {0, 0, 8, 8}, seconds[] = {0, 1, 0, 1};
      return Word{thread / 4 + lanes[r % 4], thread % 4 * 2 + seconds[r % 4] + r / 4 * 8};
    });
}

// Threads 16 to 31 have the lanes of threads 0 to 15, so many columns further.
TEST(TensorMoves, Of16x32bx2) {
  for (const std::uint32_t x : {1U, 8U, 128U})
    expect_moves(
        fmt::format("16x32bx2.x{}", x), x,
        [](std::uint32_t thread, std::uint32_t r) {
          return Word{thread % 16, r + (thread < 16 ? 0U : 200U)};
        },
        "200");
}

TEST(TensorMoves, PackTwoColumns) {
  const WordOf place = [](std::uint32_t thread, std::uint32_t r) {
    return Word{thread / 4 + (r % 2 == 0 ? 0U : 8U), 2 * (thread % 4 + r / 2 * 4)};
  };
  const Move m{"tcgen05.ld.sync.aligned.16x128b.x4.pack::16b.b32",
               "tcgen05.st.sync.aligned.16x128b.x4.unpack::16b.b32",
               "",
               8,
               "",
               0};
  expect_loads(m, place, 1);
  expect_stores(m, place, 1);
  expect_loads(
      {"tcgen05.ld.sync.aligned.16x32bx2.x2.pack::16b.b32", "", "9", 2, "", 0},
      [](std::uint32_t thread, std::uint32_t r) {
        return Word{thread % 16, 2 * r + (thread < 16 ? 0U : 9U)};
      },
      1);
}

// Kernels leave the warp's part of the lane out.
TEST(TensorMoves, LanesBelow32AreTheWarpsOwn) {
  Move m{"tcgen05.ld.sync.aligned.32x32b.x4.b32", "tcgen05.st.sync.aligned.32x32b.x4.b32", "", 4, "", 0};
  m.address = "%own";
  const WordOf place = [](std::uint32_t thread, std::uint32_t r) { return Word{thread, r}; };
  expect_loads(m, place);
  expect_stores(m, place);
}

// Behind the registers, the smallest or greatest of each thread's values.
TEST(TensorMoves, ReduceWhatIsLoaded) {
  const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  const auto values = [&](std::uint32_t lane, std::uint32_t column) {
    const auto x = static_cast<float>(static_cast<int>(scrambled(lane * 8 + column) % 100) - 50);
    return lane == 5 && column == 2 ? 0x7fc00001U : bits(x);
  };
  const auto reduced = [&](const std::string& name, std::uint32_t thread) {
    const Move m{"tcgen05.ld.red.sync.aligned.32x32b.x4." + name, "", "", 4, ", %u0", 1};
    return run_move(
               m, false, [](std::uint32_t) { return 0; }, values)
        .registers[thread * 5 + 4];
  };
  const auto each = [&](std::uint32_t lane) {
    std::vector<float> list;
    for (std::uint32_t c = 0; c < 4; ++c)
      list.push_back(std::bit_cast<float>(values(lane, c)));
    return list;
  };
  const auto seven = each(7);
  EXPECT_EQ(reduced("min.f32", 7), bits(*std::min_element(seven.begin(), seven.end())));
  EXPECT_EQ(reduced("max.f32", 7), bits(*std::max_element(seven.begin(), seven.end())));
  EXPECT_EQ(reduced("max.abs.f32", 7),
            bits(std::abs(*std::max_element(seven.begin(), seven.end(),
                                            [](float x, float y) { return std::abs(x) < std::abs(y); }))));
  const float least = std::min({each(5)[0], each(5)[1], each(5)[3]});
  EXPECT_EQ(reduced("min.f32", 5), bits(least));
  EXPECT_EQ(reduced("min.NaN.f32", 5), 0x7fffffffU);
  // As integers, negative floats are small with a sign and great without.
  const auto as_signed = [&](std::uint32_t c) { return static_cast<std::int32_t>(values(7, c)); };
  EXPECT_EQ(reduced("min.s32", 7),
            static_cast<std::uint32_t>(std::min({as_signed(0), as_signed(1), as_signed(2), as_signed(3)})));
  EXPECT_EQ(reduced("max.u32", 7), std::max({values(7, 0), values(7, 1), values(7, 2), values(7, 3)}));
}

void expect_tensors(const TensorRun& run, const std::vector<std::uint32_t>& expected, std::uint32_t width,
                    const std::string& name) {
  ASSERT_TRUE(run.succeeds()) << run.error();
  for (std::uint32_t k = 0; k < tensor_lanes * width; ++k)
    ASSERT_EQ(run.at(k / width, k % width), expected[k])
        << name << " lane " << k / width << " column " << k % width;
}

// Row r goes to the lanes that `lanes_of` says, from the fourth column on. In shared memory it lies in core
// matrices of 8 rows of 16 bytes: its next 16 bytes 128 bytes further.
struct Copy {
  std::string name;
  std::uint32_t rows, row_bytes;
  std::function<std::vector<std::uint32_t>(std::uint32_t row)> lanes_of;
};

void expect_copied(const Copy& copy) {
  const std::uint32_t stride = copy.row_bytes * 8, words = copy.row_bytes / 4;
  TensorCase c{fmt::format("mov.b64 %at, {};\nadd.u32 %e0, %b, 3;\ntcgen05.cp.cta_group::1.{} [%e0], %at;\n",
                           tensor_descriptor(0, 128, stride), copy.name),
               32, 4096, false};
  TensorContents before(c);
  std::vector<std::uint32_t> expected(before.tensors);
  for (std::uint32_t k = 0; k < copy.rows * words; ++k) {
    const std::uint32_t row = k / words, byte = k % words * 4;
    before.put(row % 8 * 16 + row / 8 * stride + byte % 16 + byte / 16 * 128, scrambled(k), 4);
    for (const std::uint32_t lane : copy.lanes_of(row))
      expected[lane * c.columns + 3 + k % words] = scrambled(k);
  }
  expect_tensors(TensorRun(c, before), expected, c.columns, copy.name);
}

TEST(TensorCopies, SpreadRows) {
  using Lanes = std::vector<std::uint32_t>;
  expect_copied({"128x256b", 128, 32, [](std::uint32_t row) { return Lanes{row}; }});
  expect_copied({"128x128b", 128, 16, [](std::uint32_t row) { return Lanes{row}; }});
  expect_copied({"4x256b", 4, 32, [](std::uint32_t row) { return Lanes{32 * row}; }});
  expect_copied({"64x128b.warpx2::02_13", 64, 16, [](std::uint32_t row) { return Lanes{row, row + 64}; }});
  expect_copied({"64x128b.warpx2::01_23", 64, 16, [](std::uint32_t row) {
                   return row < 32 ? Lanes{row, row + 32} : Lanes{row + 32, row + 64};
                 }});
  expect_copied({"32x128b.warpx4", 32, 16, [](std::uint32_t row) {
                   return Lanes{row, row + 32, row + 64, row + 96};
                 }});
}

// Sixteen elements lie packed at the start of 16 bytes; those of 4 bits go to the middle of their bytes.
void expect_unpacked(const std::string& format, std::uint32_t bits, std::uint32_t shift) {
  TensorCase c{fmt::format("mov.b64 %at, {};\ntcgen05.cp.cta_group::1.32x128b.warpx4.b8x16.{} [%b], %at;\n",
                           tensor_descriptor(0, 128, 128), format),
               32, 512, false};
  TensorContents before(c);
  std::vector<std::uint32_t> expected(before.tensors);
  for (std::uint32_t k = 0; k < 32 * 16; ++k) {
    const std::uint32_t row = k / 16, e = k % 16, element = scrambled(k) & ((1U << bits) - 1);
    put_bits(before, 8 * 16 * row + e * bits, element, bits);
    for (std::uint32_t lane = row; lane < tensor_lanes; lane += 32)
      expected[lane * c.columns + e / 4] |= element << shift << (e % 4 * 8);
  }
  expect_tensors(TensorRun(c, before), expected, c.columns, format);
}

TEST(TensorCopies, UnpackElements) {
  expect_unpacked("b4x16_p64", 4, 2);
  expect_unpacked("b6x16_p32", 6, 0);
}

// In the 32 lanes of each warp the last one stays.
TEST(TensorCopies, ShiftRowsDown) {
  TensorCase c{"add.u32 %e0, %b, 8;\ntcgen05.shift.cta_group::1.down [%e0];\n", 32, 0, false};
  TensorContents before(c);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t k = 0; k < before.tensors.size(); ++k) {
    const std::uint32_t lane = k / c.columns, column = k % c.columns;
    before.tensors[k] = k;
    expected.push_back(k + (column >= 8 && column < 16 && lane % 32 != 31 ? c.columns : 0));
  }
  expect_tensors(TensorRun(c, before), expected, c.columns, "shift");
}

// Each CTA of a pair copies from its own shared memory.
TEST(TensorCopies, OfPairs) {
  TensorCase c{fmt::format("mov.b64 %at, {};\ntcgen05.cp.cta_group::2.32x128b.warpx4 [%b], %at;\n"
                           "tcgen05.shift.cta_group::2.down [%b];\n",
                           tensor_descriptor(0, 128, 128)),
               32, 512, true};
  TensorContents before(c);
  for (std::uint32_t k = 0; k < 256; ++k)
    before.put(4 * k, scrambled(k), 4);
  const TensorRun run(c, before);
  ASSERT_TRUE(run.succeeds()) << run.error();
  for (std::uint32_t cta = 0; cta < 2; ++cta)
    for (std::uint32_t lane = 0; lane < tensor_lanes; ++lane)
      for (std::uint32_t word = 0; word < 4; ++word)
        ASSERT_EQ(run.at(lane, word, cta), scrambled(cta * 128 + std::min(lane % 32 + 1, 31U) * 4 + word));
}

} // namespace
} // namespace kerncast::functional_test
