// Keys that act through the addresses of a launch: the TLB, the constant cache, and the clock of L2, on one
// SM that stands for all and on the whole GPU.
#include <gtest/gtest.h>

#include "one_kernel.h"

namespace kerncast {
namespace {

using Settings = std::vector<configs::Setting>;

constexpr int steps = 512;

// `steps` loads one after the other, as a fence waits for each: `step` finds the offset %rd4 of the next from
// the state %r1.
std::string walk(const std::string& declarations, const std::string& step, const std::string& load) {
  return ".version 7.0\n.target sm_52\n.address_size 64\n" + declarations + R"(
.visible .entry walk(.param .u64 from) {
  .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<3>; .reg .pred %p1;
  ld.param.u64 %rd1, [from];
  mov.u32 %r1, 1;
  mov.u32 %r2, 0;
  mov.f32 %f1, 0f00000000;
loop:
)" + step +
         load +
         R"(  membar.gl;
  add.f32 %f1, %f1, %f2;
  add.s32 %r2, %r2, 1;
  setp.lt.s32 %p1, %r2, )" +
         std::to_string(steps) + R"(;
  @%p1 bra loop;
  st.global.f32 [%rd1], %f1;
  ret;
}
)";
}

// A line out of 2^bits, by a linear congruential generator's upper bits.
std::string random_line(int bits) {
  return "  mad.lo.s32 %r1, %r1, 1664525, 1013904223;\n  shr.u32 %r3, %r1, " + std::to_string(32 - bits) +
         ";\n  mul.wide.u32 %rd4, %r3, 128;\n";
}

KernelLaunch one_warp(std::string ptx) {
  tasklist::Launch launch;
  launch.block.x = 32;
  launch.registers = 32;
  launch.arguments.push_back({tasklist::Argument::Kind::buffer, 0, 0, 64U << 20});
  return {std::move(ptx), launch, {}};
}

const char* const load_global = "  add.s64 %rd5, %rd1, %rd4;\n  ld.global.f32 %f2, [%rd5];\n";

double extra_per_step(const KernelLaunch& kernel, const Settings& less, const Settings& more) {
  return (predict(kernel, "titan-x", more).cycles - predict(kernel, "titan-x", less).cycles) / steps;
}

double extra_on_whole_gpu(const KernelLaunch& kernel, const Settings& less, const Settings& more) {
  return (cycles_of_whole_gpu(kernel, "titan-x", more) - cycles_of_whole_gpu(kernel, "titan-x", less)) /
         steps;
}

// 32 pages of 2 MiB. In 64 MiB of which 16 are covered 3 of 4 steps miss; the first visits of the pages that
// are covered are few.
TEST(memory_keys, a_random_walk_misses_the_tlb_in_the_proportion_that_its_reach_leaves) {
  const KernelLaunch kernel = one_warp(walk("", random_line(19), load_global));
  const auto tlb = [](const char* reach) {
    return Settings{{"tlb.reach_mib", reach}, {"tlb.miss_latency", "400"}};
  };
  EXPECT_NEAR(extra_per_step(kernel, {}, tlb("16")), 300, 15);
  EXPECT_NEAR(extra_per_step(kernel, {}, tlb("32")), 200, 15);
  EXPECT_NEAR(extra_per_step(kernel, {}, tlb("64")), 400 * 32.0 / steps, 1);
  EXPECT_NEAR(extra_on_whole_gpu(kernel, {}, tlb("16")), 300, 15);
}

// 512 lines a page apart are as many misses; side by side they are one page.
TEST(memory_keys, a_stream_misses_the_tlb_once_a_page) {
  const Settings tlb = {{"tlb.reach_mib", "2"}, {"tlb.miss_latency", "400"}};
  const auto stride = [](const char* bytes) {
    return one_warp(walk("", std::string("  mul.wide.u32 %rd4, %r2, ") + bytes + ";\n", load_global));
  };
  EXPECT_NEAR(extra_per_step(stride("128"), {}, tlb), 400.0 / steps, 0.01);
  EXPECT_NEAR(extra_per_step(stride("65536"), {}, tlb), 400.0 / 32, 0.1);
}

// 20 CTAs of a warp on each SM one after the other: half of what DRAM moves is written.
TEST(memory_keys, reads_wait_by_the_share_of_dram_that_writes_take) {
  constexpr double wait = 3000;
  KernelLaunch copy = copy_by(24 * 20, 32);
  copy.launch.dynamic_shared_bytes = 48U << 10; // two fit an SM
  const auto run = [&](const Settings& settings) {
    const engine::KernelPlan plan = plan_of(copy, gpu_of("titan-x", settings));
    const engine::SmResult sm = engine::simulate_groups(plan).front();
    const double share = sm.dram_bytes / sm.cycles / plan.groups[0].workload.config.dram_bytes_per_clock;
    return std::pair(sm.dram_queueing, share / 2);
  };
  const auto [queueing, written] =
      run({{"dram.loaded_latency.b", "0"}, {"dram.write_wait", std::to_string(wait)}});
  EXPECT_GT(written, 0.01);
  EXPECT_NEAR(queueing, wait * written, 0.01 * wait * written);
  EXPECT_EQ(run({{"dram.loaded_latency.b", "0"}}).first, 0);
  EXPECT_GT(run({{"dram.write_wait", std::to_string(wait)}}).first, queueing);
}

// 24 CTAs of 256 threads that each add 32 times to one word, or to a word of their own.
KernelLaunch additions(const std::string& operation, bool to_one_word) {
  tasklist::Launch launch;
  launch.grid.x = 24;
  launch.block.x = 256;
  launch.registers = 32;
  for (std::uint32_t i = 0; i < 2; ++i)
    launch.arguments.push_back({tasklist::Argument::Kind::buffer, 0, i, 1U << 20});
  std::string text = begin_of_copy;
  for (int i = 0; i < 32; ++i)
    text += "  red.global.add." + operation + (to_one_word ? " [%rd2]" : " [%rd5]") +
            (operation == "f32" ? ", 0f3f800000;\n" : ", %r3;\n");
  return {text + "  ret;\n}\n", launch, {}};
}

// The slices of the whole GPU have their turns evenly to 3 %. On Ampere one lane of a warp adds the sum of
// all to an integer (aggregate_atomics); numbers of floating point are added one by one.
TEST(memory_keys, atomics_of_one_address_are_done_one_after_the_other) {
  constexpr double lanes = 24.0 * 256 * 32;
  const Settings slow = {{"l2.atomic_interval", "4"}}, slower = {{"l2.atomic_interval", "128"}};
  const auto expect_turns = [&](const auto& cycles_of) {
    EXPECT_NEAR(cycles_of(additions("f32", true), "titan-x", slow), 4 * lanes, 0.04 * 4 * lanes);
    EXPECT_NEAR(cycles_of(additions("u32", true), "a100-sxm4-40gb", slower), 4 * lanes, 0.04 * 4 * lanes);
  };
  expect_turns([](const auto&... launch) { return predict(launch...).cycles; });
  expect_turns([](const auto&... launch) { return cycles_of_whole_gpu(launch...); });
  EXPECT_EQ(predict(additions("f32", true), "titan-x", slow).bound, "atomics");
  EXPECT_EQ(predict(additions("f32", false), "titan-x", slow).cycles,
            predict(additions("f32", false), "titan-x").cycles);
}

// 864 warps with all lanes at one word, and one lane of each at another: the first word is the hottest,
// whichever lies higher.
TEST(memory_keys, atomics_that_one_lane_does_are_one_lanes_atomics) {
  const auto cycles_of = [](const char* of_floats, const char* of_integers) {
    KernelLaunch kernel = additions("f32", true);
    kernel.launch.grid.x = 108;
    kernel.ptx = std::string(begin_of_copy) + "  red.global.add.f32 [%rd1" + of_floats +
                 "], 0f3f800000;\n  red.global.or.b32 [%rd1" + of_integers + "], 1;\n  ret;\n}\n";
    return predict(kernel, "a100-sxm4-40gb").cycles;
  };
  EXPECT_GT(cycles_of("", "+4096"), 108 * 256);
  EXPECT_NEAR(cycles_of("", "+4096"), cycles_of("+4096", ""), 100);
}

// An addition by one lane and an exchange by all, at the same word of shared memory: 1 and 32 wavefronts.
TEST(memory_keys, operations_at_the_same_place_have_wavefronts_of_their_own) {
  const auto cycles_of = [](const std::string& first, const std::string& second) {
    KernelLaunch kernel = additions("f32", true);
    kernel.ptx = std::string(begin_of_copy) + "  .shared .align 4 .b8 word[4];\n  mov.u32 %r5, word;\n";
    for (int i = 0; i < 50; ++i)
      kernel.ptx += first + second;
    kernel.ptx += "  st.global.u32 [%rd5], %r6;\n  ret;\n}\n";
    return predict(kernel, "a100-sxm4-40gb").cycles;
  };
  const std::string add = "  atom.shared.add.u32 %r6, [%r5], 1;\n",
                    exchange = "  atom.shared.exch.b32 %r7, [%r5], %r6;\n";
  const double wavefronts = 50.0 * 8 * (1 + 32);
  EXPECT_GT(cycles_of(add, exchange), wavefronts);
  EXPECT_GT(cycles_of(exchange, add), wavefronts);
  EXPECT_LT(cycles_of(exchange, add), 50.0 * 8 * 64);
}

TEST(memory_keys, a_tlb_that_is_not_described_whole_is_named) {
  const auto notes = [](const Settings& settings, std::optional<memory_model::HitRates> hits) {
    KernelLaunch kernel = one_warp(walk("", random_line(19), load_global));
    kernel.hit_rates = hits;
    std::string all;
    for (const std::string& note : plan_of(kernel, gpu_of("titan-x", settings)).assumptions)
      all += note + "\n";
    return all;
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_FALSE(has(notes({}, {}), "TLB"));
  EXPECT_TRUE(has(notes({{"tlb.reach_mib", "16"}}, {}), "no tlb.miss_latency"));
  const Settings whole = {{"tlb.reach_mib", "16"}, {"tlb.miss_latency", "400"}};
  EXPECT_TRUE(has(notes(whole, memory_model::HitRates{}), "hit rates are given"));
  EXPECT_TRUE(has(notes(whole, {}), "pages are taken to have 2 MiB"));
}

// A walk to 32-byte sectors of 64 KiB of constants: what the cache does not hold comes from L2, after the
// first visit of a sector. With 64 KiB only first visits miss.
TEST(memory_keys, constants_beyond_their_cache_come_from_l2) {
  const KernelLaunch kernel = one_warp(walk(".const .align 4 .b8 table[65536];", random_line(9),
                                            "  cvt.u32.u64 %r4, %rd4;\n  mov.u32 %r5, table;\n  add.s32 %r4, "
                                            "%r4, %r5;\n  ld.const.f32 %f2, [%r4];\n"));
  const auto kib = [](const char* size) {
    return Settings{{"constant.kib", size}, {"constant.latency", "28"}};
  };
  const double first_visits = extra_per_step(kernel, kib("not known"), kib("64"));
  EXPECT_GT(first_visits, 0);
  // 512 steps visit 1 - 1 / e of the 512 lines for the first time. With room for 64 of the lines some 7 of 8
  // steps miss, a quarter more: 194 cycles of L2 instead of 28.
  EXPECT_NEAR(extra_per_step(kernel, kib("64"), kib("8")), 0.25 * (194 - 28), 6);
  EXPECT_NEAR(extra_on_whole_gpu(kernel, kib("64"), kib("8")), 0.25 * (194 - 28), 6);
}

// Of the 2 KiB that a warp goes through again and again each sector misses once.
TEST(memory_keys, constants_that_fit_miss_once) {
  const KernelLaunch kernel = one_warp(walk(".const .align 4 .b8 table[2048];",
                                            "  and.b32 %r3, %r2, 15;\n  mul.wide.u32 %rd4, %r3, 128;\n",
                                            "  cvt.u32.u64 %r4, %rd4;\n  mov.u32 %r5, table;\n  add.s32 %r4, "
                                            "%r4, %r5;\n  ld.const.f32 %f2, [%r4];\n"));
  const configs::Gpu gpu = gpu_of("titan-x", {{"constant.kib", "2"}});
  const engine::KernelPlan plan = plan_of(kernel, gpu);
  double misses = 0;
  for (const memory_model::Request& request : plan.groups.front().workload.program->requests)
    if (request.levels[0].latency == gpu.constant_latency)
      misses = 1 - request.levels[0].share;
  EXPECT_NEAR(misses, 16.0 / steps, 1e-12);
}

// Four times through 128 lines with a cache of 96, which has none of them when its turn comes again if the
// least recently used one goes. If any goes, 0.418 of the steps hit (standard deviation 0.013).
TEST(memory_keys, cyclic_walks_hit_where_any_line_may_go) {
  const auto kernel = [](const std::string& load) {
    return one_warp(walk("", "  and.b32 %r3, %r2, 127;\n  mul.wide.u32 %rd4, %r3, 128;\n",
                         "  add.s64 %rd5, %rd1, %rd4;\n  " + load + " %f2, [%rd5];\n"));
  };
  const configs::Gpu gpu = gpu_of("titan-x");
  const double of_l1 = gpu.l2.latency - gpu.l1.latency, of_l2 = gpu.dram_latency() - gpu.l2.latency;
  const Settings small_l1 = {{"l1.kib", "12"}}, small_l2 = {{"l2.mib", "0.01171875"}};
  const auto with = [](Settings settings, const char* key) {
    settings.push_back({key, "random"});
    return settings;
  };
  const KernelLaunch by_l1 = kernel("ld.global.nc.f32"), by_l2 = kernel("ld.global.cg.f32");
  EXPECT_NEAR(extra_per_step(by_l1, with(small_l1, "l1.replacement"), small_l1), 0.418 * of_l1, 0.04 * of_l1);
  EXPECT_NEAR(extra_per_step(by_l2, with(small_l2, "l2.replacement"), small_l2), 0.418 * of_l2, 0.04 * of_l2);
  EXPECT_NEAR(extra_on_whole_gpu(by_l1, with(small_l1, "l1.replacement"), small_l1), 0.418 * of_l1,
              0.04 * of_l1);
}

// What a hit of L2 takes longer than one of L1 doubles, for what L2 misses as for what it hits.
TEST(memory_keys, a_slower_clock_of_l2_delays_all_that_passes_it) {
  const KernelLaunch kernel = one_warp(walk("", random_line(19), load_global));
  const configs::Gpu gpu = gpu_of("titan-x");
  const Settings half = {{"l2.clock_mhz", std::to_string(gpu.clock_mhz / 2)}};
  EXPECT_NEAR(extra_per_step(kernel, {}, half), gpu.l2.latency - gpu.l1.latency, 2);
  EXPECT_NEAR(extra_on_whole_gpu(kernel, {}, half), gpu.l2.latency - gpu.l1.latency, 2);
  EXPECT_EQ(gpu_of("titan-x", half).l2_gbps_per_sm(), gpu.l2_gbps_per_sm() / 2);
}

} // namespace
} // namespace kerncast
