// Every shipped ISA table has one clear row for each operation that ordinary kernels use.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "configs/isa.h"
#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

std::vector<std::string> ordinary_operations() {
  std::ifstream in(std::filesystem::path(KERNCAST_SOURCE_DIR) / "tests/data/configs/operations.txt");
  std::vector<std::string> operations;
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with("#"))
      operations.push_back(line);
  return operations;
}

class ShippedIsa : public testing::TestWithParam<const char*> {};

TEST_P(ShippedIsa, HasARowForEveryOrdinaryOperation) {
  const Gpu gpu = shipped_gpu(GetParam());
  const auto operations = ordinary_operations();
  ASSERT_GT(operations.size(), 300U);
  for (const std::string& operation : operations) {
    EXPECT_NE(gpu.isa->find(operation), nullptr) << operation;
    EXPECT_EQ(gpu.isa->rival(operation), nullptr) << operation << " also fits another row";
  }
}

// Loads, stores and atomics take their latency from the memory model and hold a memory unit. A texture's
// handle may take operations before it (sm_90).
TEST_P(ShippedIsa, MemoryOperationsAddNoLatency) {
  const Gpu gpu = shipped_gpu(GetParam());
  for (const char* operation :
       {"ld.global.f32", "ld.shared.v4.f32", "st.global.u32", "ld.const.f32", "ld.local.u64",
        "atom.global.add.u32", "red.global.add.f32", "tex.2d.v4.f32.f32"}) {
    const IsaRow* row = gpu.isa->find(operation);
    ASSERT_NE(row, nullptr) << operation;
    const bool is_texture = std::string_view(operation).starts_with("tex");
    ASSERT_FALSE(row->machine.empty()) << operation;
    EXPECT_TRUE(is_texture || row->machine.size() == 1U) << operation;
    EXPECT_EQ(row->machine.back().latency, 0) << operation;
  }
}

TEST_P(ShippedIsa, MovesAndParameterLoadsAreFree) {
  const Gpu gpu = shipped_gpu(GetParam());
  for (const char* operation : {"mov.u32", "cvta.to.global.u64", "ld.param.u64"})
    EXPECT_TRUE(gpu.isa->find(operation)->machine.empty()) << operation;
}

TEST_P(ShippedIsa, DoublePrecisionRunsOnItsOwnUnit) {
  const Gpu gpu = shipped_gpu(GetParam());
  EXPECT_EQ(gpu.units[gpu.isa->find("fma.rn.f64")->machine.at(0).unit].name, "fp64");
}

INSTANTIATE_TEST_SUITE_P(All, ShippedIsa,
                         testing::Values("unit", "8800gtx", "gtx480", "k40m", "titan-x", "p100", "gtx1080",
                                         "titan-v", "titan-rtx", "a100-sxm4-40gb", "rtx3090", "l40",
                                         "h100-sxm", "b200"));

// 64-bit additions are two 32-bit ones (model.md, section 2); address arithmetic does not run on the FP64
// unit.
TEST(ShippedIsaCounts, LongIntegersTakeTwoOperations) {
  for (const char* name : {"titan-x", "k40m", "a100-sxm4-40gb", "h100-sxm"}) {
    const Gpu gpu = shipped_gpu(name);
    const IsaRow* row = gpu.isa->find("add.s64");
    ASSERT_EQ(row->machine.size(), 2U) << name;
    EXPECT_EQ(gpu.units[row->machine[0].unit].name, "alu") << name;
  }
}

// Machine operations of today's compiler: 24 for div.s32, 18 for div.u32, 4 for mul.lo.s64 (ptxas 13.0,
// sm_80).
TEST(ShippedIsaCounts, SequencesAreAsLongAsCompiledOnes) {
  const Gpu gpu = shipped_gpu("a100-sxm4-40gb");
  const auto count = [&](std::string_view operation) {
    std::uint32_t sum = 0;
    for (const MachineOpSpec& op : gpu.isa->find(operation)->machine)
      sum += op.count;
    return sum;
  };
  EXPECT_EQ(count("div.s32"), 24U);
  EXPECT_EQ(count("div.u32"), 18U);
  EXPECT_EQ(count("mul.lo.s64"), 4U);
  EXPECT_EQ(count("div.rn.f32"), 10U); // BSSY and BSYNC included
  EXPECT_EQ(count("sqrt.rn.f32"), 9U); // BSYNC included
  EXPECT_EQ(count("rcp.rn.f32"), 9U);
  EXPECT_EQ(count("add.f32"), 1U);
}

// F2FP converts two values (ptxas 13.0, sm_100a); one of four values takes two.
TEST(ShippedIsaCounts, NarrowFormatsAreConvertedInPairs) {
  const Gpu gpu = shipped_gpu("b200");
  const auto count = [&](std::string_view operation) {
    const IsaRow* row = gpu.isa->find(operation);
    EXPECT_NE(row, nullptr) << operation;
    return row == nullptr ? 0 : row->machine.size();
  };
  for (const char* operation : {"cvt.rn.satfinite.e4m3x2.f32", "cvt.rn.satfinite.relu.e2m1x2.bf16x2",
                                "cvt.rn.bf16x2.e4m3x2", "cvt.rn.f16x2.e2m3x2", "cvt.rp.ue8m0x2.bf16x2",
                                "cvt.rn.bf16x2.ue8m0x2", "cvt.rn.satfinite.s2f6x2.f32"})
    EXPECT_EQ(count(operation), 1U) << operation;
  EXPECT_EQ(count("cvt.rs.satfinite.e2m1x4.f32"), 2U);
  for (const char* operation :
       {"cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2", "cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32",
        "cvt.rn.satfinite.relu.scaled::n2::ue8m0.s2f6x2.bf16x2"})
    EXPECT_EQ(count(operation), 2U) << operation;
}

TEST(ShippedIsaCounts, FourBytesAreAddedAtOnce) {
  const Gpu gpu = shipped_gpu("b200");
  for (const char* operation : {"add.u8x4", "sub.sat.s8x4", "min.relu.s8x4", "max.u8x4", "neg.s8x4"})
    EXPECT_EQ(gpu.isa->find(operation)->machine.size(), 1U) << operation;
  EXPECT_THAT(gpu.isa->find("add.sat.u32")->guess, testing::HasSubstr("as two of 16 bits"));
  EXPECT_EQ(gpu.isa->find("add.sat.s32")->guess, "");
}

} // namespace
} // namespace kerncast::configs::test
