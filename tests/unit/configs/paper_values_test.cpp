// The shipped descriptions say what the papers' tables print.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "configs/isa.h"
#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

// Latency of the sequence that an operation becomes: operations in parallel to another add nothing.
double latency(const Gpu& gpu, std::string_view operation) {
  const IsaRow* row = gpu.isa->find(operation);
  if (row == nullptr)
    return -1;
  double sum = 0;
  for (const MachineOpSpec& op : row->machine)
    sum += op.parallel ? 0 : op.count * op.latency;
  return sum;
}

void expect_latencies(const Gpu& gpu, const std::vector<std::pair<std::string, double>>& expected) {
  for (const auto& [operation, cycles] : expected)
    EXPECT_DOUBLE_EQ(latency(gpu, operation), cycles) << gpu.name << " " << operation;
}

TEST(PaperValues, Table2Of002ForMaxwell) {
  const Gpu gpu = shipped_gpu("titan-x");
  expect_latencies(gpu, {{"add.s32", 6},
                         {"sub.s32", 6},
                         {"add.f32", 6},
                         {"sub.f32", 6},
                         {"mul.lo.s32", 13},
                         {"mul.f32", 6},
                         {"div.s32", 210},
                         {"div.rn.f32", 374},
                         {"and.b32", 6},
                         {"or.b32", 6},
                         {"xor.b32", 6},
                         {"mad.lo.s32", 13},
                         {"fma.rn.f32", 6},
                         {"mad.f32", 6},
                         {"sin.approx.f32", 15},
                         {"sqrt.rn.f32", 128}});
  EXPECT_EQ(gpu.shared.latency, 28);
  EXPECT_EQ(gpu.texture_latency, 330);
  EXPECT_EQ(gpu.constant_latency, 184);
  EXPECT_EQ(gpu.dram.latency, 350);
  EXPECT_EQ(gpu.l2.latency, 194);
}

// Lanes of all pipelines of a unit in one SM.
std::uint32_t lanes_per_sm(const Gpu& gpu, std::string_view name) {
  for (const Unit& unit : gpu.units)
    if (unit.name == name)
      return unit.lanes * unit.count * (unit.scope == UnitScope::sub_core ? gpu.sub_cores_per_sm : 1);
  return 0;
}

TEST(PaperValues, Table3Of002ForTitanX) {
  const Gpu gpu = shipped_gpu("titan-x");
  EXPECT_EQ(gpu.compute_capability_major, 5U);
  EXPECT_EQ(gpu.compute_capability_minor, 2U);
  EXPECT_EQ(gpu.clock_mhz, 1000);
  EXPECT_DOUBLE_EQ(gpu.dram.data_rate_gtps, 4 * 1.753); // GDDR5: four transfers per cycle
  EXPECT_EQ(gpu.sms, 24U);
  EXPECT_EQ(lanes_per_sm(gpu, "alu"), 128U);
  EXPECT_EQ(gpu.sms * lanes_per_sm(gpu, "alu"), 3072U);
  EXPECT_EQ(lanes_per_sm(gpu, "sfu"), 32U);
  EXPECT_EQ(lanes_per_sm(gpu, "lsu"), 32U);
  EXPECT_EQ(gpu.limits.registers_per_sm, 65536U);
  EXPECT_EQ(gpu.limits.ctas_per_sm, 32U);
  EXPECT_EQ(gpu.limits.warps_per_sm, 64U);
  EXPECT_EQ(gpu.sub_cores_per_sm, 4U); // warp schedulers
}

TEST(PaperValues, Table3Of002ForK40mWithSixteenCtas) {
  const Gpu gpu = shipped_gpu("k40m");
  EXPECT_EQ(gpu.compute_capability_major, 3U);
  EXPECT_EQ(gpu.compute_capability_minor, 5U);
  EXPECT_EQ(gpu.clock_mhz, 745);
  EXPECT_DOUBLE_EQ(gpu.dram.data_rate_gtps, 4 * 1.502);
  EXPECT_EQ(gpu.sms, 15U);
  EXPECT_EQ(gpu.sms * lanes_per_sm(gpu, "alu"), 2880U);
  EXPECT_EQ(lanes_per_sm(gpu, "sfu"), 32U);
  EXPECT_EQ(lanes_per_sm(gpu, "lsu"), 32U);
  EXPECT_EQ(gpu.limits.registers_per_sm, 65536U);
  EXPECT_EQ(gpu.limits.ctas_per_sm, 16U); // the table's 32 is not what compute capability 3.5 allows
  EXPECT_EQ(gpu.limits.warps_per_sm, 64U);
  EXPECT_EQ(gpu.sub_cores_per_sm, 4U);
}

TEST(PaperValues, Table5Of003ForKepler) {
  const Gpu gpu = shipped_gpu("k40m");
  expect_latencies(gpu, {{"cos.approx.f32", 18},
                         {"mul.f32", 9},
                         {"mul.lo.s32", 5},
                         {"div.full.f32", 28.5},
                         {"div.s32", 96},
                         {"bar.sync", 24}});
  EXPECT_EQ(gpu.dram.latency, 300);
  EXPECT_EQ(gpu.shared.latency, 28);
}

TEST(PaperValues, MeasuredLatenciesOfA100) {
  const Gpu gpu = shipped_gpu("a100-sxm4-40gb");
  // arXiv:2208.11174; isa_latencies of the TITAN V for the sequences.
  expect_latencies(gpu, {{"add.u32", 4},
                         {"fma.rn.f32", 4},
                         {"add.f64", 5},
                         {"add.f16", 3},
                         {"sqrt.approx.f32", 18},
                         {"div.s32", 71},
                         {"div.u32", 71},
                         {"sqrt.rn.f32", 60},
                         {"rcp.rn.f32", 60}});
  EXPECT_EQ(gpu.shared.latency, 23);
  EXPECT_EQ(gpu.l1.latency, 33.1);
  EXPECT_EQ(gpu.sms, 108U);
}

// 108 SMs * 64 lanes * 2 * 1.41 GHz = 19492 GFLOP/s; 132 * 128 * 2 * 1.98 = 66908 (data sheets).
TEST(PaperValues, PeakFlopsOfTheDataSheets) {
  const Gpu a100 = shipped_gpu("a100-sxm4-40gb");
  EXPECT_NEAR(a100.sms * lanes_per_sm(a100, "fp32") * 2 * a100.clock_mhz * 1e-3, 19492, 1);
  const Gpu h100 = shipped_gpu("h100-sxm");
  EXPECT_NEAR(h100.sms * lanes_per_sm(h100, "fp32") * 2 * h100.clock_mhz * 1e-3, 66908, 1);
}

TEST(PaperValues, UnitGpuTakesOneCycleForEverything) {
  const Gpu gpu = shipped_gpu("unit");
  for (const Unit& unit : gpu.units) {
    EXPECT_EQ(unit.latency, 1) << unit.name;
    EXPECT_EQ(unit.issue_interval, 1) << unit.name;
  }
  for (const double cycles : {gpu.l1.latency, gpu.l2.latency, gpu.dram.latency, gpu.shared.latency,
                              gpu.constant_latency, gpu.texture_latency})
    EXPECT_EQ(cycles, 1);
  EXPECT_EQ(gpu.dram_bytes_per_clock(), 128);
}

// Ten and twelve memory controllers of 2 x 4 slices; B200's number is not known.
TEST(PaperValues, L2OfGh100HasEightSlicesForEachMemoryController) {
  EXPECT_EQ(shipped_gpu("h100-sxm").l2_layout.slices, 80U);
  for (const char* name : {"h200", "gh200"}) {
    EXPECT_EQ(shipped_gpu(name).l2_layout.slices, 96U) << name;
    EXPECT_EQ(shipped_gpu(name).l2.bytes, std::uint64_t{60} << 20) << name;
  }
  EXPECT_EQ(shipped_gpu("b200").l2_layout.slices, 0U);
  // Measured on H200, which has as many SMs: they ask for no more.
  EXPECT_EQ(shipped_gpu("h100-sxm").l2.bytes_per_clock, 5130);
  EXPECT_EQ(shipped_gpu("h100-sxm").origins.at("l2.bytes_per_clock").evidence, Evidence::guess);
}

} // namespace
} // namespace kerncast::configs::test
