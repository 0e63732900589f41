// Tensor operations on small integers, exact in every format, against the host's matrix product. Where a lane
// holds what is written out as the manual does, element by element.
#include <functional>

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "small_numbers.h"
#include "text_kernel.h"

namespace kerncast::functional_test::matrices {
namespace {

std::string list(const char* prefix, std::uint32_t count) {
  std::vector<std::string> names;
  for (std::uint32_t r = 0; r < count; ++r)
    names.push_back(fmt::format("{}{}", prefix, r));
  return fmt::format("{{{}}}", fmt::join(names, ", "));
}

// Every lane takes its `na` + `nb` + `nc` registers from `in` and leaves `nc` registers.
Words lanes_after(const std::string& operation, const Words& in, std::uint32_t na, std::uint32_t nb,
                  std::uint32_t nc, bool wide = false) {
  const std::string type = wide ? "b64" : "b32";
  const std::uint32_t bytes = wide ? 8 : 4;
  std::string body = "mul.wide.u32 %l, %t, " + std::to_string(bytes * (na + nb + nc)) +
                     ";\nadd.u64 %pa, %a, %l;\nmul.wide.u32 %l, %t, " + std::to_string(bytes * nc) +
                     ";\nadd.u64 %pb, %b, %l;\n.reg ." + type + " %ra<9>, %rb<9>, %rc<9>;\n";
  std::uint32_t at = 0;
  for (const auto& [name, count] : {std::pair("%ra", na), std::pair("%rb", nb), std::pair("%rc", nc)})
    for (std::uint32_t r = 0; r < count; ++r)
      body += "ld.global." + type + " " + name + std::to_string(r) + ", [%pa+" +
              std::to_string(bytes * at++) + "];\n";
  body += operation + " " + list("%rc", nc) + ", " + list("%ra", na) + ", " + list("%rb", nb) + ", " +
          list("%rc", nc) + ";\n";
  for (std::uint32_t r = 0; r < nc; ++r)
    body += "st.global." + type + " [%pb+" + std::to_string(bytes * r) + "], %rc" + std::to_string(r) + ";\n";
  const Code code = Code::of_text(text_kernel(body));
  Device device;
  const Argument a = device.buffer(in), b = device.buffer(Words(std::size_t{32} * nc * bytes / 4));
  device.run(code, {1}, {32}, {a, b, integer(0)});
  return device.read<std::uint32_t>(b);
}

struct Place {
  std::uint32_t row, column;
};
using PlaceOf = std::function<Place(std::uint32_t lane, std::uint32_t element)>;

// What a test states about one operation: where elements lie, and their bits.
struct Case {
  std::string operation;
  std::uint32_t m, n, k;
  std::uint32_t registers_a, registers_b, registers_c; // per lane
  std::uint32_t packed;                                // elements of a and b in a register
  std::function<std::uint32_t(int)> bits;              // of an element of a or b
  std::function<std::uint32_t(int)> bits_c;
  PlaceOf a, b, c;
};

int product(std::uint32_t row, std::uint32_t column, std::uint32_t depth) {
  int sum = value_c(row, column);
  for (std::uint32_t k = 0; k < depth; ++k)
    sum += value_a(row, k) * value_b(k, column);
  return sum;
}

void expect_product(const Case& c) {
  Words in;
  const std::uint32_t width = 32 / c.packed;
  const std::uint32_t mask = width == 32 ? ~0U : (1U << width) - 1;
  const auto append = [&](std::uint32_t lane, std::uint32_t registers, const PlaceOf& place, auto value) {
    for (std::uint32_t r = 0; r < registers; ++r) {
      std::uint32_t word = 0;
      for (std::uint32_t e = 0; e < c.packed; ++e)
        word |= (c.bits(value(place(lane, r * c.packed + e))) & mask) << (width * e);
      in.push_back(word);
    }
  };
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    append(lane, c.registers_a, c.a, [](Place p) { return value_a(p.row, p.column); });
    append(lane, c.registers_b, c.b, [](Place p) { return value_b(p.row, p.column); });
    for (std::uint32_t r = 0; r < c.registers_c; ++r) {
      const Place p = c.c(lane, r);
      in.push_back(c.bits_c(value_c(p.row, p.column)));
    }
  }
  const Words out = lanes_after(c.operation, in, c.registers_a, c.registers_b, c.registers_c);
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    for (std::uint32_t r = 0; r < c.registers_c; ++r) {
      const Place p = c.c(lane, r);
      EXPECT_EQ(out[lane * c.registers_c + r], c.bits_c(product(p.row, p.column, c.k)))
          << c.operation << " lane " << lane << " register " << r;
    }
}

// c of 16 by 8: c0 and c1 in row groupID, c2 and c3 eight rows below.
Place place_c(std::uint32_t lane, std::uint32_t i) {
  return {lane / 4 + (i >= 2 ? 8U : 0U), lane % 4 * 2 + (i & 1)};
}

TEST(Matrices, OfHalves) {
  expect_product({"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, 4, 2, 4, 2, half, single,
                  [](std::uint32_t lane, std::uint32_t i) {
                    const bool upper = i < 2 || (i >= 4 && i < 6);
                    return Place{lane / 4 + (upper ? 0U : 8U), lane % 4 * 2 + (i & 1) + (i >= 4 ? 8U : 0U)};
                  },
                  [](std::uint32_t lane, std::uint32_t i) {
                    return Place{lane % 4 * 2 + (i & 1) + (i >= 2 ? 8U : 0U), lane / 4};
                  },
                  place_c});
}

TEST(Matrices, OfBytes) {
  expect_product({"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 16, 8, 32, 4, 2, 4, 4, word, word,
                  [](std::uint32_t lane, std::uint32_t i) {
                    const bool upper = i < 4 || (i >= 8 && i < 12);
                    return Place{lane / 4 + (upper ? 0U : 8U), lane % 4 * 4 + (i & 3) + (i >= 8 ? 16U : 0U)};
                  },
                  [](std::uint32_t lane, std::uint32_t i) {
                    return Place{lane % 4 * 4 + (i & 3) + (i >= 4 ? 16U : 0U), lane / 4};
                  },
                  place_c});
}

TEST(Matrices, OfFourBits) {
  expect_product({"mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32", 16, 8, 32, 2, 1, 4, 8, word, word,
                  [](std::uint32_t lane, std::uint32_t i) {
                    return Place{lane / 4 + (i < 8 ? 0U : 8U), lane % 4 * 8 + (i & 7)};
                  },
                  [](std::uint32_t lane, std::uint32_t i) {
                    return Place{lane % 4 * 8 + (i & 7), lane / 4};
                  },
                  place_c});
}

TEST(Matrices, OfTensorFloats) {
  expect_product({"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, 4, 2, 4, 1, single, single,
                  [](std::uint32_t lane, std::uint32_t i) {
                    return Place{lane / 4 + (i == 0 || i == 2 ? 0U : 8U), lane % 4 + (i < 2 ? 0U : 4U)};
                  },
                  [](std::uint32_t lane, std::uint32_t i) {
                    return Place{lane % 4 + (i == 0 ? 0U : 4U), lane / 4};
                  },
                  place_c});
}

// Four products at once: a quad pair q has lanes 4q to 4q+3 and those 16 above. Each pair has its own
// matrices here, which differ by the lanes' places alone, so that all four results are equal.
TEST(Matrices, OfQuadPairs) {
  expect_product(
      {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", 8, 8, 4, 2, 2, 8, 2, half, single,
       [](std::uint32_t lane, std::uint32_t i) {
         return Place{lane % 4 + (lane >= 16 ? 4U : 0U), i};
       },
       [](std::uint32_t lane, std::uint32_t i) {
         return Place{i, lane % 4 + (lane >= 16 ? 4U : 0U)};
       },
       [](std::uint32_t lane, std::uint32_t i) {
         return Place{(lane & 1) + (i & 2) + (lane >= 16 ? 4U : 0U), (i & 4) + (lane & 2) + (i & 1)};
       }});
}

// Row 0 of a is all ones, column 0 of b has a one: lane 0 holds c(0, 0) and c(0, 1).
TEST(Matrices, OfBitsCountWhatIsSetInBothOrInOne) {
  Words in(32 * 4, 0);
  for (std::uint32_t lane = 0; lane < 4; ++lane) // groupID 0
    in[4 * lane] = ~0U;
  in[1] = 1;
  const Words both = lanes_after("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc", in, 1, 1, 2);
  EXPECT_EQ(both[0], 1U);
  EXPECT_EQ(both[1], 0U);
  const Words either = lanes_after("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", in, 1, 1, 2);
  EXPECT_EQ(either[0], 127U);
  EXPECT_EQ(either[1], 128U);
}

TEST(Matrices, OfDoubles) {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  Words in;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint32_t group = lane / 4, in_group = lane % 4;
    for (const std::uint64_t b :
         {bits(small(group * 256 + in_group)), bits(small(9000 + in_group * 64 + group)),
          bits(small(5000 + group * 64 + 2 * in_group)), bits(small(5000 + group * 64 + 2 * in_group + 1))}) {
      in.push_back(static_cast<std::uint32_t>(b));
      in.push_back(static_cast<std::uint32_t>(b >> 32));
    }
  }
  const Words out = lanes_after("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", in, 1, 1, 2, true);
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    for (std::uint32_t r = 0; r < 2; ++r) {
      const std::uint64_t expected = bits(product(lane / 4, lane % 4 * 2 + r, 4));
      EXPECT_EQ(out[4 * lane + 2 * r], static_cast<std::uint32_t>(expected));
      EXPECT_EQ(out[4 * lane + 2 * r + 1], static_cast<std::uint32_t>(expected >> 32));
    }
}

TEST(Matrices, SaturateWhereAsked) {
  const Words in(32 * 4, 0x7f7f7f7f); // c is 0x7f7f7f7f = 2139062143, a sum of 16 x 127 x 127 does not fit
  Words c = in;
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    c[4 * lane + 2] = c[4 * lane + 3] = 0x7fffffff;
  const auto first = [&](const char* operation) { return lanes_after(operation, c, 1, 1, 2)[0]; };
  EXPECT_EQ(first("mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32"), 0x7fffffffU);
  EXPECT_EQ(first("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32"), 0x7fffffffU + 16 * 127 * 127);
}

// ldmatrix loads what mma takes: a as four tiles of 8 by 8, b transposed as two.
TEST(Matrices, AreLoadedFromSharedMemoryByRows) {
  std::vector<std::uint16_t> in;
  for (std::uint32_t k = 0; k < 256; ++k)
    in.push_back(static_cast<std::uint16_t>(half(small(k / 16 * 256 + k % 16))));
  for (std::uint32_t k = 0; k < 128; ++k)
    in.push_back(static_cast<std::uint16_t>(half(small(9000 + k / 8 * 64 + k % 8))));
  const Code code = Code::of_text(text_kernel(
      ".shared .align 16 .b8 s[768];\n.reg .b32 %ra<4>, %rb<2>;\n.reg .f32 %c<4>;\n.reg .b64 %q<9>;\n"
      // Each lane moves 24 bytes to shared memory.
      "mul.wide.u32 %l, %t, 24;\nadd.u64 %pa, %a, %l;\nmov.u32 %x, s;\nmad.lo.u32 %y, %t, 24, %x;\n"
      "ld.global.b64 %q0, [%pa];\nld.global.b64 %q1, [%pa+8];\nld.global.b64 %q2, [%pa+16];\n"
      "st.shared.b64 [%y], %q0;\nst.shared.b64 [%y+8], %q1;\nst.shared.b64 [%y+16], %q2;\nbar.sync 0;\n"
      // Row lane % 16 of 32 bytes, the right half from lane 16 on.
      "and.b32 %z, %t, 15;\nmad.lo.u32 %y, %z, 32, %x;\nshr.u32 %w, %t, 4;\nmad.lo.u32 %y, %w, 16, %y;\n"
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%ra0, %ra1, %ra2, %ra3}, [%y];\n"
      "mad.lo.u32 %y, %z, 16, %x;\n"
      "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%rb0, %rb1}, [%y+512];\n"
      "mov.f32 %c0, 0f00000000;\nmov.f32 %c1, %c0;\nmov.f32 %c2, %c0;\nmov.f32 %c3, %c0;\n"
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0, %c1, %c2, %c3}, {%ra0, %ra1, %ra2, %ra3}, "
      "{%rb0, %rb1}, {%c0, %c1, %c2, %c3};\n"
      "mul.wide.u32 %l, %t, 16;\nadd.u64 %pb, %b, %l;\nst.global.v4.f32 [%pb], {%c0, %c1, %c2, %c3};\n"));
  Device device;
  const Argument a = device.buffer(in), b = device.buffer(std::vector<float>(128));
  device.run(code, {1}, {32}, {a, b, integer(0)});
  const auto out = device.read<float>(b);
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    for (std::uint32_t r = 0; r < 4; ++r) {
      const Place p = place_c(lane, r);
      EXPECT_EQ(out[4 * lane + r],
                static_cast<float>(product(p.row, p.column, 16) - value_c(p.row, p.column)));
    }
}

// Two by two words of 8 x 8 halves: stmatrix.trans writes columns, movmatrix transposes registers.
TEST(Matrices, AreStoredAndTransposed) {
  const std::string load = "ld.global.b32 %x, [%pa];\nmov.u32 %y, s;\n";
  const std::string rows = "and.b32 %z, %t, 7;\nmad.lo.u32 %z, %z, 16, %y;\n";
  const std::string read =
      "shl.b32 %z, %t, 2;\nadd.u32 %z, %y, %z;\nld.shared.b32 %w, [%z];\nst.global.b32 [%pb], %w;";
  const auto after = [&](const std::string& middle) {
    std::string text =
        text_kernel(".shared .align 16 .b8 s[128];\n" + load + rows + middle + "\nbar.sync 0;\n" + read);
    text.replace(text.find("sm_80"), 5, "sm_90");
    const Code code = Code::of_text(text);
    Device device;
    const Argument a = device.buffer(iota_words(32)), b = device.buffer(Words(32));
    device.run(code, {1}, {32}, {a, b, integer(0)});
    return device.read<std::uint32_t>(b);
  };
  EXPECT_EQ(after("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%z], {%x};"), iota_words(32));
  // Lane l holds l in column 2 (l % 4) of row l / 4, and 0 beside it; transposed, even rows hold them.
  Words transposed(32);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint32_t row = 2 * (lane % 4), column = lane / 4;
    transposed[4 * row + column / 2] |= lane << (16 * (column % 2));
  }
  EXPECT_EQ(after("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%z], {%x};"), transposed);
  EXPECT_EQ(after("movmatrix.sync.aligned.m8n8.trans.b16 %x, %x;\n"
                  "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%z], {%x};"),
            transposed);
}

// wmma.load, wmma.mma and wmma.store of one tile; `in` holds a, b and c one behind the other.
Words after_wmma(const std::string& shape, const std::string& types, const std::string& layout_b,
                 const std::array<std::string, 4>& element, const std::array<std::uint32_t, 3>& registers,
                 const std::array<std::uint32_t, 3>& offsets, const Words& in, std::size_t out) {
  const std::string body = ".reg .b32 %ra<9>, %rb<9>, %rc<9>;\n"
                           "wmma.load.a.sync.aligned.row." +
                           shape + ".global." + element[0] + " " + list("%ra", registers[0]) + ", [%a+" +
                           std::to_string(offsets[0]) + "];\nwmma.load.b.sync.aligned." + layout_b + "." +
                           shape + ".global." + element[1] + " " + list("%rb", registers[1]) + ", [%a+" +
                           std::to_string(offsets[1]) + "];\nwmma.load.c.sync.aligned.row." + shape +
                           ".global." + element[2] + " " + list("%rc", registers[2]) + ", [%a+" +
                           std::to_string(offsets[2]) + "];\nwmma.mma.sync.aligned.row." + layout_b + "." +
                           shape + "." + types + " " + list("%rc", registers[2]) + ", " +
                           list("%ra", registers[0]) + ", " + list("%rb", registers[1]) + ", " +
                           list("%rc", registers[2]) + ";\nwmma.store.d.sync.aligned.row." + shape +
                           ".global." + element[3] + " [%b], " + list("%rc", registers[2]) + ";\n";
  const Code code = Code::of_text(text_kernel(body));
  Device device;
  const Argument a = device.buffer(in), b = device.buffer(Words(out));
  device.run(code, {1}, {32}, {a, b, integer(0)});
  return device.read<std::uint32_t>(b);
}

TEST(Matrices, OfWmmaHalves) {
  Words in;
  const auto pair = [](int low, int high) { return half(low) | half(high) << 16; };
  for (std::uint32_t k = 0; k < 256; k += 2) // a, row by row
    in.push_back(pair(small(k / 16 * 256 + k % 16), small(k / 16 * 256 + k % 16 + 1)));
  for (std::uint32_t k = 0; k < 256; k += 2) // b, column by column
    in.push_back(pair(small(9000 + k % 16 * 64 + k / 16), small(9000 + (k % 16 + 1) * 64 + k / 16)));
  for (std::uint32_t k = 0; k < 256; ++k)
    in.push_back(single(small(5000 + k / 16 * 64 + k % 16)));
  const Words out = after_wmma("m16n16k16", "f32.f32", "col", {"f16", "f16", "f32", "f32"}, {8, 8, 8},
                               {0, 512, 1024}, in, 256);
  for (std::uint32_t k = 0; k < 256; ++k)
    EXPECT_EQ(out[k], single(product(k / 16, k % 16, 16))) << k;
}

TEST(Matrices, OfWmmaBytes) {
  Words in(32 + 128 + 256);
  const auto set_byte = [&](std::uint32_t at, int value) {
    in[at / 4] |= (word(value) & 255) << (8 * (at % 4));
  };
  for (std::uint32_t k = 0; k < 128; ++k) // 8 rows of 16
    set_byte(k, small(k / 16 * 256 + k % 16));
  for (std::uint32_t k = 0; k < 512; ++k) // 16 rows of 32
    set_byte(128 + k, small(9000 + k / 32 * 64 + k % 32));
  for (std::uint32_t k = 0; k < 256; ++k)
    in[160 + k] = word(small(5000 + k / 32 * 64 + k % 32));
  const Words out = after_wmma("m8n32k16", "s32.s8.s8.s32", "row", {"s8", "s8", "s32", "s32"}, {1, 4, 8},
                               {0, 128, 640}, in, 256);
  for (std::uint32_t k = 0; k < 256; ++k)
    EXPECT_EQ(out[k], word(product(k / 32, k % 32, 16))) << k;
}

TEST(Matrices, NeedAllThreads) {
  const Code code = Code::of_text(
      text_kernel("setp.lt.u32 %p, %t, 16;\n@%p movmatrix.sync.aligned.m8n8.trans.b16 %x, %x;"));
  Device device;
  const Argument a = device.buffer(Words(32)), b = device.buffer(Words(32));
  EXPECT_THAT(error_of(device.try_run(code, {1}, {32}, {a, b, integer(0)})),
              testing::HasSubstr("not all threads of the warp execute"));
}

} // namespace
} // namespace kerncast::functional_test::matrices
