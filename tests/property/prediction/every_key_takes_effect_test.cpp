// Every memory, unit and residency key of a GPU description takes part: a kernel that uses what the key
// describes becomes slower when the key becomes worse.
#include <algorithm>

#include <gtest/gtest.h>

#include "one_kernel.h"

namespace kerncast {
namespace {

constexpr const char* header = ".version 7.0\n.target sm_52\n.address_size 64\n";

// Every thread copies 16 words, a grid apart: global loads, all independent of one another.
std::string copy_kernel() {
  std::string text = begin_of_copy;
  for (int i = 0; i < 16; ++i)
    text += "  ld.global.f32 %f" + std::to_string(i) + ", [%rd4+" + std::to_string(i * 1048576) + "];\n";
  for (int i = 0; i < 16; ++i)
    text += "  st.global.f32 [%rd5+" + std::to_string(i * 1048576) + "], %f" + std::to_string(i) + ";\n";
  return text + "  ret;\n}\n";
}

// A chain: every load's address depends on the value loaded before, in shared memory or the constant bank.
std::string chain_kernel(const std::string& space, const std::string& declaration) {
  std::string body = declaration + R"(
.visible .entry chain(.param .u64 to) {
  .reg .b32 %r<4>; .reg .b64 %rd<3>;
  mov.u32 %r1, table;
)";
  for (int i = 0; i < 64; ++i)
    body += "  ld." + space + ".u32 %r1, [%r1];\n";
  return header + body + "  ld.param.u64 %rd1, [to];\n  st.global.u32 [%rd1], %r1;\n  ret;\n}\n";
}

tasklist::Launch launch(std::uint32_t ctas, std::uint32_t threads, std::size_t buffers) {
  tasklist::Launch out;
  out.grid.x = ctas;
  out.block.x = threads;
  out.registers = 32;
  for (std::uint32_t i = 0; i < buffers; ++i)
    out.arguments.push_back({tasklist::Argument::Kind::buffer, 0, i, 64U << 20});
  return out;
}

// Full SMs: bound by bandwidth.
KernelLaunch copy(memory_model::HitRates hits) { return {copy_kernel(), launch(960, 256, 2), hits}; }
// One warp per SM: bound by latency.
KernelLaunch lone_copy(memory_model::HitRates hits) { return {copy_kernel(), launch(24, 32, 2), hits}; }

struct Change {
  std::string key;
  std::string value;
};

void expect_slower(const KernelLaunch& kernel, const std::vector<Change>& changes) {
  const double before = predict(kernel, "titan-x").time_us;
  for (const Change& change : changes)
    EXPECT_GT(predict(kernel, "titan-x", {{change.key, change.value}}).time_us, 1.05 * before)
        << change.key << " = " << change.value;
}

TEST(every_key_takes_effect, bandwidth_of_dram_and_what_leads_there) {
  expect_slower(copy({0, 0}), {{"dram.bandwidth_gbps", "60"},
                               {"dram.sustained_fraction", "0.2"},
                               {"memory.in_flight_bytes_per_sm", "1024"},
                               {"memory.to_l2_bytes_per_clock", "4"},
                               {"l2.bytes_per_clock", "100"},
                               {"l2.clock_mhz", "150"},
                               {"l1.mshrs", "8"},
                               {"l2.mshrs", "8"},
                               {"clock_mhz", "100"},
                               {"sms", "6"}});
}

// All in L2: 16 words are read and 16 written.
TEST(every_key_takes_effect, ways_of_l2) {
  expect_slower(copy({0, 1}), {{"l2.bytes_per_clock", "300"}, {"l2.write_bytes_per_clock", "200"}});
  const auto us = [](const char* fraction) {
    return predict(copy({0, 1}), "titan-x",
                   {{"l2.write_bytes_per_clock", "200"}, {"l2.read_request_fraction", fraction}})
        .time_us;
  };
  EXPECT_LT(1.2 * us("0"), us("0.5"));
}

TEST(every_key_takes_effect, latency_of_every_level) {
  expect_slower(lone_copy({0, 0}), {{"dram.latency", "5000"}});
  expect_slower(lone_copy({0, 1}), {{"l2.latency", "300"}});
  expect_slower(lone_copy({1, 1}), {{"l1.latency", "190"}, {"cta_launch_latency", "3000"}});
}

TEST(every_key_takes_effect, width_of_l1_and_its_unit) {
  expect_slower(
      copy({1, 1}),
      {{"l1.bytes_per_clock", "32"}, {"units.lsu.issue_interval", "16"}, {"units.alu.issue_interval", "64"}});
}

// 32 CTAs of two warps on every SM.
KernelLaunch shared_chains() {
  return {chain_kernel("shared", ".shared .align 4 .b8 table[1024];"), launch(24 * 32, 64, 1), {}};
}

TEST(every_key_takes_effect, latency_on_chip) {
  const KernelLaunch shared = {
      chain_kernel("shared", ".shared .align 4 .b8 table[4096];"), launch(24, 32, 1), {}};
  expect_slower(shared, {{"shared.latency", "60"}});
  const KernelLaunch constant = {
      chain_kernel("const", ".const .align 4 .b8 table[4096];"), launch(24, 32, 1), {{1, 1}}};
  expect_slower(constant, {{"constant.latency", "400"}});
}

// One warp with 16 loads under way.
TEST(every_key_takes_effect, loads_of_a_warp) {
  expect_slower(lone_copy({0, 1}), {{"memory.loads_per_warp", "2"}});
}

// Some 60 instructions of 8 bytes: four lines of code.
TEST(every_key_takes_effect, code_and_the_way_to_other_units) {
  expect_slower(lone_copy({1, 1}), {{"units.alu.cross_latency", "100"}});
  const auto cycles = [](const char* kib, const char* latency) {
    return predict(lone_copy({1, 1}), "titan-x",
                   {{"instruction_cache.kib", kib}, {"instruction_cache.miss_latency", latency}})
        .cycles;
  };
  EXPECT_EQ(cycles("0.25", "0"), cycles("64", "2000"));
  EXPECT_LT(1.05 * cycles("64", "200"), cycles("0.25", "200"));
  EXPECT_LT(1.5 * cycles("0.25", "200"), cycles("0.25", "2000"));
}

// 64 comparisons in a row, each with a branch.
TEST(every_key_takes_effect, predicates_and_branches) {
  std::string body =
      ".visible .entry branches(.param .u64 to) {\n  .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<3>;\n"
      "  mov.u32 %r1, %tid.x;\n";
  for (int i = 0; i < 64; ++i) {
    const std::string label = "skip" + std::to_string(i);
    body += "  setp.gt.u32 %p1, %r1, 31;\n  @%p1 bra " + label + ";\n  bar.warp.sync 0xffffffff;\n" +
            "  add.u32 %r1, %r1, 0;\n" + label + ":\n";
  }
  const KernelLaunch branches = {header + body +
                                     "  ld.param.u64 %rd1, [to];\n  st.global.u32 [%rd1], %r1;\n  ret;\n}\n",
                                 launch(24, 32, 1),
                                 {{1, 1}}};
  expect_slower(branches, {{"guard_latency", "30"}, {"branch_latency", "30"}});
}

// Two buffers of 64 MiB.
TEST(every_key_takes_effect, device_memory) {
  const auto names_it = [](const char* gib) {
    const auto assumptions = plan_of(copy({0, 0}), gpu_of("titan-x", {{"dram.gib", gib}})).assumptions;
    return std::count(assumptions.begin(), assumptions.end(),
                      std::string("titan-x: the 0.12 GiB of the launch's buffers do not fit dram.gib = ") +
                          gib + "; taken as if they did");
  };
  EXPECT_EQ(names_it("0.0625"), 1);
  EXPECT_EQ(names_it("0.125"), 0);
}

TEST(every_key_takes_effect, resident_ctas) { expect_slower(shared_chains(), {{"limits.ctas_per_sm", "1"}}); }

// 64 warps with one load each every 28 cycles want more than two wavefronts a cycle. Four load units behind
// one port are held up by it; with four ports the kernel is faster.
TEST(every_key_takes_effect, memory_ports) {
  const std::vector<configs::Setting> one_port = {{"units.lsu.count", "4"}};
  const std::vector<configs::Setting> four_ports = {{"units.lsu.count", "4"}, {"memory.ports_per_sm", "4"}};
  EXPECT_LT(1.5 * predict(shared_chains(), "titan-x", four_ports).cycles,
            predict(shared_chains(), "titan-x", one_port).cycles);
}

} // namespace
} // namespace kerncast
