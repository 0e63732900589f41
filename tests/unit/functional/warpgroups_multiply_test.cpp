// wgmma.mma_async: 64 rows by four warps. Where the elements of a and b lie in shared memory is written out
// for each layout; values are small integers, exact in every format.
#include <functional>

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "device.h"
#include "small_numbers.h"

namespace kerncast::functional_test::warpgroups {
namespace {

constexpr std::uint32_t shared_bytes = 32768, begin_metadata = 12288, begin_b = 16384, rows = 64;

int value_a(std::uint32_t row, std::uint32_t k) { return small(row * 64 + k); }
int value_b(std::uint32_t k, std::uint32_t column) { return small(50'000 + k * 256 + column); }

// Leading and stride offsets count 16 bytes, as the start does; swizzle: 0 none, 1 of 128 bytes.
std::uint64_t descriptor(std::uint64_t start, std::uint64_t leading, std::uint64_t stride,
                         std::uint64_t swizzle = 0) {
  return start >> 4 | (leading >> 4) << 16 | (stride >> 4) << 32 | swizzle << 62;
}

using PlaceOf = std::function<std::uint32_t(std::uint32_t row, std::uint32_t k)>; // byte behind the start

struct Case {
  std::string operation;
  std::string constants; // behind scale-d
  std::uint32_t n, k, element_bytes;
  std::function<std::uint32_t(int)> bits;
  PlaceOf a, b;
  std::uint64_t descriptor_a, descriptor_b;
  bool is_sparse = false;
};

std::string kernel_text(const Case& c, std::uint32_t registers) {
  std::vector<std::string> names;
  std::string sets, stores;
  for (std::uint32_t r = 0; r < registers; ++r) {
    names.push_back(fmt::format("%d{}", r));
    sets += fmt::format("mov.b32 %d{}, 0;\n", r);
    stores += fmt::format("st.global.b32 [%m+{}], %d{};\n", 4 * r, r);
  }
  const std::string operation = (c.is_sparse ? ".sp.sync.aligned." : ".sync.aligned.") + c.operation;
  const std::string_view sparsity = c.is_sparse ? "%x, 0, " : "";
  return fmt::format(
      ".version 8.2\n.target sm_90a\n.address_size 64\n"
      ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{{\n.shared .align 1024 .b8 s[{}];\n"
      ".reg .pred %p;\n.reg .b32 %t, %n, %i, %x, %y, %z;\n.reg .b32 %d<{}>;\n"
      ".reg .b64 %a, %b, %l, %m, %da, %db;\nld.param.u64 %a, [a];\nld.param.u64 %b, [b];\n"
      "ld.param.u32 %n, [n];\nmov.u32 %t, %tid.x;\nmov.u32 %i, %t;\n"
      "L:\nmul.wide.u32 %l, %i, 4;\nadd.u64 %m, %a, %l;\nld.global.u32 %x, [%m];\nshl.b32 %y, %i, 2;\n"
      "mov.u32 %z, s;\nadd.u32 %z, %z, %y;\nst.shared.u32 [%z], %x;\nadd.u32 %i, %i, 128;\n"
      "setp.lt.u32 %p, %i, {};\n@%p bra L;\nbar.sync 0;\n{}"
      "mov.u64 %da, {};\nmov.u64 %db, {};\nsetp.ne.u32 %p, %n, 0;\nwgmma.fence.sync.aligned;\n"
      "mov.u32 %z, s;\nshl.b32 %y, %t, 2;\nadd.u32 %z, %z, %y;\nld.shared.u32 %x, [%z+{}];\n"
      "wgmma.mma_async{} {{{}}}, %da, %db, {}%p{};\nwgmma.mma_async{} {{{}}}, %da, %db, {}%p{};\n"
      "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
      "mul.wide.u32 %l, %t, {};\nadd.u64 %m, %b, %l;\n{}ret;\n}}\n",
      shared_bytes, registers, shared_bytes / 4, sets, c.descriptor_a, c.descriptor_b, begin_metadata,
      operation, fmt::join(names, ", "), sparsity, c.constants, operation, fmt::join(names, ", "), sparsity,
      c.constants, 4 * registers, stores);
}

void put(std::vector<std::uint8_t>& shared, std::uint32_t at, std::uint32_t bits, std::uint32_t bytes) {
  for (std::uint32_t i = 0; i < bytes; ++i)
    shared.at(at + i) = static_cast<std::uint8_t>(bits >> (8 * i));
}

// Of each four neighbours in a row of a sparse a these two are stored, the lower one first.
std::array<std::uint32_t, 2> stored_of(std::uint32_t row, std::uint32_t group) {
  constexpr std::array<std::uint32_t, 2> pairs[] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  return pairs[(7 * row + 3 * group) % std::size(pairs)];
}
int value_of(const Case& c, std::uint32_t row, std::uint32_t k) {
  const auto stored = stored_of(row, k / 4);
  return c.is_sparse && stored[0] != k % 4 && stored[1] != k % 4 ? 0 : value_a(row, k);
}

// Two bits for each stored half of a row of 32. Lanes 4 g and 4 g + 1 of a warp hold the halves of those of
// its rows g, in their lower 16 bits, and g + 8.
std::uint32_t metadata_of(std::uint32_t thread) {
  const std::uint32_t lane = thread % 32, group = lane / 4, half_row = lane % 4;
  std::uint32_t word = 0;
  for (std::uint32_t code = 0; half_row < 2 && code < 16; ++code) {
    const std::uint32_t row = thread / 32 * 16 + group + code / 8 * 8, stored = half_row * 8 + code % 8;
    word |= stored_of(row, stored / 2)[stored % 2] << (2 * code);
  }
  return word;
}

// Both matrices, and the sparse one's metadata, as the kernel finds them.
std::vector<std::uint8_t> shared_of(const Case& c) {
  std::vector<std::uint8_t> shared(shared_bytes);
  const auto put_a = [&](std::uint32_t row, std::uint32_t k, std::uint32_t column) {
    put(shared, c.a(row, column), c.bits(value_a(row, k)), c.element_bytes);
  };
  for (std::uint32_t thread = 0; thread < 128; ++thread)
    put(shared, begin_metadata + 4 * thread, metadata_of(thread), 4);
  for (std::uint32_t k = 0; k < c.k; ++k) {
    for (std::uint32_t row = 0; row < rows; ++row) {
      const auto stored = stored_of(row, k / 4);
      if (!c.is_sparse)
        put_a(row, k, k);
      else if (k % 4 == stored[0] || k % 4 == stored[1])
        put_a(row, k, k / 4 * 2 + (k % 4 == stored[1] ? 1 : 0));
    }
    for (std::uint32_t column = 0; column < c.n; ++column)
      put(shared, begin_b + c.b(column, k), c.bits(value_b(k, column)), c.element_bytes);
  }
  return shared;
}

int product_at(const Case& c, std::uint32_t row, std::uint32_t column) {
  int sum = 0;
  for (std::uint32_t k = 0; k < c.k; ++k)
    sum += value_of(c, row, k) * value_b(k, column);
  return sum;
}

// Two products in a row: the second one is added to the first where n is not 0.
void expect_product(const Case& c, bool adds, const std::function<std::uint32_t(int)>& bits_d) {
  const std::uint32_t registers = c.n / 2;
  const Code code = Code::of_text(kernel_text(c, registers));
  Device device;
  const Argument d = device.buffer(std::vector<std::uint32_t>(std::size_t{128} * registers));
  device.run(code, {1}, {128}, {device.buffer(shared_of(c)), d, integer(adds ? 1 : 0)});
  const auto out = device.read<std::uint32_t>(d);
  for (std::uint32_t thread = 0; thread < 128; ++thread)
    for (std::uint32_t r = 0; r < registers; ++r) {
      // Warp w holds rows 16 w to 16 w + 15, in each 8 columns as mma does.
      const std::uint32_t lane = thread % 32;
      const std::uint32_t row = thread / 32 * 16 + lane / 4 + (r % 4 >= 2 ? 8 : 0);
      const std::uint32_t column = r / 4 * 8 + lane % 4 * 2 + r % 2;
      EXPECT_EQ(out[thread * registers + r], bits_d((adds ? 2 : 1) * product_at(c, row, column)))
          << c.operation << " row " << row << " column " << column;
    }
}

// Core matrices of 8 rows of 16 bytes: the next along k 128 bytes behind, the next rows 256.
std::uint32_t dense(std::uint32_t row, std::uint32_t byte) {
  return row % 8 * 16 + row / 8 * 256 + byte % 16 + byte / 16 * 128;
}

TEST(Warpgroups, MultiplyHalvesInCoreMatrices) {
  const Case c{"m64n8k16.f32.f16.f16",
               ", 1, 1, 0, 0",
               8,
               16,
               2,
               half,
               [](std::uint32_t row, std::uint32_t k) { return dense(row, 2 * k); },
               [](std::uint32_t row, std::uint32_t k) { return dense(row, 2 * k); },
               descriptor(0, 128, 256),
               descriptor(begin_b, 128, 256)};
  expect_product(c, true, single);
  expect_product(c, false, single);
}

// Of the 32 columns of a 16 are stored.
TEST(Warpgroups, MultiplySparseHalves) {
  const Case c{"m64n8k32.f32.f16.f16",
               ", 1, 1, 0, 0",
               8,
               32,
               2,
               half,
               [](std::uint32_t row, std::uint32_t k) { return dense(row, 2 * k); },
               [](std::uint32_t row, std::uint32_t k) {
                 return row % 8 * 16 + row / 8 * 512 + 2 * k % 16 + k / 8 * 128;
               },
               descriptor(0, 128, 256),
               descriptor(begin_b, 128, 512),
               true};
  expect_product(c, true, single);
  expect_product(c, false, single);
}

// Rows of 128 bytes whose 16-byte pieces change places with the row, from the second step over k on; b with
// neighbours along n: 8 of them in 16 bytes, the next 8 of k 256 bytes behind, the next 8 of n 128.
TEST(Warpgroups, MultiplySwizzledAndTransposedHalves) {
  expect_product({"m64n16k16.f32.f16.f16", ", 1, 1, 0, 1", 16, 16, 2, half,
                  [](std::uint32_t row, std::uint32_t k) {
                    const std::uint32_t byte = 32 + 2 * k;
                    return row * 128 + (byte / 16 ^ row % 8) * 16 + byte % 16;
                  },
                  [](std::uint32_t column, std::uint32_t k) {
                    return k % 8 * 16 + k / 8 * 256 + column % 8 * 2 + column / 8 * 128;
                  },
                  descriptor(32, 16, 1024, 1), descriptor(begin_b, 256, 128)},
                 true, single);
}

TEST(Warpgroups, NegateAndMultiplyBytes) {
  const auto byte = [](int value) { return static_cast<std::uint32_t>(value) & 0xff; };
  const auto place = [](std::uint32_t row, std::uint32_t k) { return dense(row, k); };
  expect_product({"m64n24k32.s32.s8.s8", "", 24, 32, 1, byte, place, place, descriptor(0, 128, 256),
                  descriptor(begin_b, 128, 256)},
                 true, word);
  const auto negative = [](int value) { return single(-value); };
  const auto place_of_halves = [](std::uint32_t row, std::uint32_t k) { return dense(row, 2 * k); };
  expect_product({"m64n8k16.f32.f16.f16", ", -1, 1, 0, 0", 8, 16, 2, half, place_of_halves, place_of_halves,
                  descriptor(0, 128, 256), descriptor(begin_b, 128, 256)},
                 true, negative);
}

TEST(Warpgroups, DescriptorsThatLeadOutsideAreFaults) {
  const Case c{
      "m64n8k16.f32.f16.f16",       ", 1, 1, 0, 0", 8, 16, 2, half, {}, {}, descriptor(32752, 128, 256),
      descriptor(begin_b, 128, 256)};
  const Code code = Code::of_text(kernel_text(c, 4));
  Device device;
  const auto result = device.try_run(code, {1}, {128},
                                     {device.buffer(std::vector<std::uint8_t>(shared_bytes)),
                                      device.buffer(std::vector<std::uint32_t>(512)), integer(0)});
  EXPECT_THAT(error_of(result), testing::HasSubstr("outside of shared memory"));
}

} // namespace
} // namespace kerncast::functional_test::warpgroups
