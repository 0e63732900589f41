// How many guarded loads of a tile come before the first store that waits for one, against the order that
// ptxas 13.0 gave to the same text.
#include <array>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lowered_by_gpu.h"

namespace kerncast::machine {
namespace {

constexpr std::array targets = {"sm_75", "sm_80", "sm_90"};

std::string guarded_load(int i) {
  const int r = 20 + 3 * i, d = 10 + 2 * i, p = 10 + 3 * i, f = 600 + i;
  return fmt::format("mov.f32 %f{f}, 0f00000000; add.u32 %r{row}, %r3, {i}; add.u32 %r{column}, %r7, {i};\n"
                     "setp.ge.u32 %p{p}, %r{row}, %r2; setp.ge.u32 %p{q}, %r{column}, %r1;\n"
                     "or.pred %p{both}, %p{p}, %p{q}; @%p{both} bra S{i};\n"
                     "mad.lo.u32 %r{at}, %r{row}, %r1, %r7; mul.wide.u32 %d{d}, %r{at}, 4;\n"
                     "add.s64 %d{a}, %d1, %d{d}; ld.global.f32 %f{f}, [%d{a}];\n"
                     "S{i}: st.shared.f32 [%r6+{offset}], %f{f};\n",
                     fmt::arg("f", f), fmt::arg("i", i), fmt::arg("row", r), fmt::arg("column", r + 1),
                     fmt::arg("at", r + 2), fmt::arg("p", p), fmt::arg("q", p + 1), fmt::arg("both", p + 2),
                     fmt::arg("d", d), fmt::arg("a", d + 1), fmt::arg("offset", 1024 * i));
}

// A loop that loads a tile to shared memory, from where so many sums are added up in registers.
std::string tile_kernel(int loads, int sums) {
  std::string text =
      ".version 8.0\n.target sm_75\n.address_size 64\n"
      ".visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n, .param .u32 m) {\n"
      ".reg .pred %p<99>; .reg .b32 %r<99>; .reg .f32 %f<700>; .reg .b64 %d<99>;\n"
      ".shared .align 16 .b8 tile[32768];\n"
      "ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [m];\n"
      "mov.u32 %r3, %tid.x; mov.u32 %r4, tile; shl.b32 %r5, %r3, 2; add.u32 %r6, %r4, %r5;\n"
      "mov.u32 %r7, 0;\n";
  for (int k = 0; k < sums; ++k)
    text += fmt::format("mov.f32 %f{}, 0f00000000;\n", k);
  text += "LOOP:\n";
  for (int i = 0; i < loads; ++i)
    text += guarded_load(i);
  text += "bar.sync 0;\n";
  for (int k = 0; k < sums; ++k)
    text += fmt::format("ld.shared.f32 %f{0}, [%r4+{1}]; ld.shared.f32 %f{2}, [%r6+{3}];\n"
                        "fma.rn.f32 %f{4}, %f{0}, %f{2}, %f{4};\n",
                        200 + 2 * k, 4 * k, 201 + 2 * k, 1024 * (k % loads), k);
  text += "bar.sync 0;\nadd.u32 %r7, %r7, 8; setp.lt.u32 %p3, %r7, %r1; @%p3 bra LOOP;\n"
          "mul.wide.u32 %d5, %r3, 4; add.s64 %d6, %d2, %d5;\n";
  for (int k = 0; k < sums; ++k)
    text += fmt::format("st.global.f32 [%d6+{}], %f{};\n", 1024 * k, k);
  return text + "ret;\n}\n";
}

int loads_before_the_first_store(const MachineProgram& program) {
  int loads = 0;
  for (const MachineOp& op : program.ops) {
    if (op.kind == OpKind::memory && op.space == tasklist::Space::shared)
      break;
    loads += op.kind == OpKind::memory && op.space == tasklist::Space::global ? 1 : 0;
  }
  return loads;
}

struct Tile {
  int loads = 0, sums = 0;
  std::array<int, 3> of_ptxas; // loads before the first store, by target
};

constexpr Tile tiles[] = {
    {4, 8, {4, 4, 4}},       {4, 32, {4, 4, 4}},      {4, 60, {4, 4, 4}},      {4, 64, {4, 4, 4}},
    {4, 100, {4, 4, 4}},     {4, 112, {4, 4, 4}},     {4, 180, {4, 4, 4}},     {8, 8, {8, 8, 8}},
    {8, 32, {8, 8, 8}},      {8, 60, {8, 8, 8}},      {8, 64, {8, 8, 8}},      {8, 100, {8, 8, 8}},
    {8, 112, {8, 8, 8}},     {8, 180, {8, 8, 8}},     {16, 8, {16, 14, 12}},   {16, 32, {16, 14, 13}},
    {16, 60, {10, 10, 9}},   {16, 64, {16, 16, 16}},  {16, 100, {16, 16, 16}}, {16, 112, {16, 16, 16}},
    {16, 180, {16, 16, 16}}, {24, 8, {24, 15, 13}},   {24, 32, {21, 7, 5}},    {24, 60, {10, 10, 8}},
    {24, 64, {22, 22, 20}},  {24, 100, {18, 18, 16}}, {24, 112, {24, 24, 24}}, {24, 180, {24, 24, 24}},
};

TEST(LoadsOfATile, come_as_early_as_those_of_ptxas) {
  int off = 0, compared = 0;
  for (const Tile& tile : tiles)
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const auto program = lowered(SourceText("k.ptx", tile_kernel(tile.loads, tile.sums)), "", targets[t]);
      ASSERT_TRUE(program);
      const int difference = loads_before_the_first_store(*program) - tile.of_ptxas[t];
      EXPECT_LE(std::abs(difference), 5) << tile.loads << " loads, " << tile.sums << " sums, " << targets[t];
      off += std::abs(difference);
      ++compared;
    }
  EXPECT_EQ(compared, 84);
  EXPECT_LE(off, compared); // one load of 4 to 24 on average
}

} // namespace
} // namespace kerncast::machine
