// Which accesses L1 keeps, by PTX operation and GPU.
#include <gtest/gtest.h>

#include "synthetic_launch.h"

namespace kerncast::hit_rates {
namespace {

// The hit rate of L1 when one line is read ten times by the operation.
double l1_of_rereading(const std::string& operation, bool caches_global) {
  configs::Gpu gpu = small_gpu();
  gpu.l1_caches_global = caches_global;
  return run(gpu, {.of_cta = [](auto) { return sweep(0, 1, 10); }, .operations = {operation}}).rates.l1;
}

TEST(l1_rules, plain_global_loads_are_kept_where_the_gpu_does) {
  EXPECT_DOUBLE_EQ(l1_of_rereading("ld.global.f32", true), 0.9);
  EXPECT_DOUBLE_EQ(l1_of_rereading("ld.global.f32", false), 0);
}

TEST(l1_rules, read_only_and_local_loads_are_kept_everywhere) {
  EXPECT_DOUBLE_EQ(l1_of_rereading("ld.global.nc.f32", false), 0.9);
  EXPECT_DOUBLE_EQ(l1_of_rereading("ld.local.f32", false), 0.9);
  EXPECT_DOUBLE_EQ(l1_of_rereading("ld.volatile.local.f32", false), 0.9);
  EXPECT_DOUBLE_EQ(l1_of_rereading("ld.local.cg.f32", false), 0);
}

TEST(l1_rules, loads_that_must_see_others_stores_pass_by) {
  for (const char* operation : {"ld.global.cg.f32", "ld.volatile.global.f32", "ld.acquire.gpu.global.f32"})
    EXPECT_DOUBLE_EQ(l1_of_rereading(operation, true), 0) << operation;
}

// Load, store, load of one line: the second load hits where stores are kept or leave the line alone.
TEST(l1_rules, a_store_drops_the_line_unless_the_gpu_keeps_it) {
  const Kernel kernel{.of_cta = [](auto) { return std::vector<Access>{{0, 5}, {1, 5}, {0, 5}}; }};
  configs::Gpu gpu = small_gpu();
  EXPECT_DOUBLE_EQ(run(gpu, kernel).rates.l1, 0);
  gpu.l1_keeps_stores = true;
  EXPECT_DOUBLE_EQ(run(gpu, kernel).rates.l1, 0.5);
}

// Atomics are done in L2: they never hit L1, and what they change must be fetched again.
TEST(l1_rules, atomics_go_to_l2_and_drop_the_line) {
  const Kernel kernel{.of_cta = [](auto) { return std::vector<Access>{{0, 5}, {2, 5}, {0, 5}}; }};
  const LaunchHits hits = run(small_gpu(), kernel);
  EXPECT_DOUBLE_EQ(hits.by_task[0].l1, 0);
  EXPECT_DOUBLE_EQ(hits.by_task[2].l2, 1);
}

// Of the first task's lanes each CTA has one at word 0 of line 0, as all CTAs do; the second task's are at 32
// words of a line of its own. Lanes that are anywhere in 32 words are at each as often.
TEST(atomics, the_hottest_address_is_that_which_most_of_all_have) {
  const configs::Gpu gpu = small_gpu();
  const auto to_lines = [](std::uint64_t cta) {
    return std::vector<Access>{{2, 0}, {1, 50}, {3, 1 + cta % 4}};
  };
  Kernel kernel{.ctas = 64, .of_cta = to_lines};
  kernel.operations.push_back("red.global.add.f32");
  const LaunchHits hits = run(gpu, kernel);
  EXPECT_DOUBLE_EQ(hits.by_task[2].hottest, 1.0 / 32);
  EXPECT_DOUBLE_EQ(hits.by_task[3].hottest, 0);
  EXPECT_DOUBLE_EQ(hits.by_task[1].hottest, 0);
  const LaunchHits scattered = run(gpu, {.ctas = 4096, .of_cta = [](auto) {
                                           return std::vector<Access>{{2, 0, 1}};
                                         }});
  EXPECT_NEAR(scattered.by_task[2].hottest, 1.0 / 32, 0.002);
}

// More accesses than are looked at of a task: both tasks go on, and the longer one decides which address it
// is.
TEST(atomics, what_is_not_looked_at_is_like_the_rest) {
  Kernel kernel{.ctas = 1000, .of_cta = [](auto) {
                  std::vector<Access> accesses(20, {2, 0});
                  accesses.push_back({3, 7});
                  return accesses;
                }};
  kernel.operations.push_back("red.global.add.f32");
  const LaunchHits hits = run(small_gpu(), kernel);
  EXPECT_DOUBLE_EQ(hits.by_task[2].hottest, 1.0 / 32);
  EXPECT_DOUBLE_EQ(hits.by_task[3].hottest, 0);
}

// One lane, wherever it is, stands for all.
TEST(atomics, that_one_lane_does_have_one_lane_at_scattered_places) {
  SyntheticSource source([](auto) { return std::vector<Access>{{0, 0, 1}}; });
  const tasklist::Tasklist list = list_of({"red.global.add.u32"});
  tasklist::Launch launch;
  launch.grid.x = 4096;
  launch.block.x = 32;
  const configs::Gpu gpu = small_gpu();
  DeviceCaches caches(gpu, {});
  const LaunchHits hits = caches.run({source, list, launch, 1, 0, {true}});
  EXPECT_NEAR(hits.by_task[0].hottest, 1.0 / 32, 0.01);
}

// 48 KiB in all: with 8 KiB of shared memory per CTA two CTAs leave 32 KiB, 256 lines.
TEST(l1_rules, l1_has_what_shared_memory_leaves) {
  configs::Gpu gpu = small_gpu();
  gpu.l1.bytes = 8 << 10;
  gpu.l2.bytes = 1 << 20;
  gpu.limits.shared_bytes_per_sm = 40 << 10;
  gpu.limits.shared_carve_outs_kib = "0 16 40";
  SyntheticSource source([](auto) { return sweep(0, 256, 10); });
  tasklist::Tasklist list = list_of({"ld.global.f32"});
  tasklist::Launch launch;
  launch.grid.x = 1;
  launch.block.x = 32;
  for (const auto& [shared, l1] : {std::pair{0U, 0.9}, {8U << 10, 0.9}, {(8U << 10) + 1, 0.0}}) {
    list.static_shared_bytes = shared;
    EXPECT_DOUBLE_EQ(DeviceCaches(gpu, {}).run({source, list, launch, 2}).rates.l1, l1) << shared;
  }
}

// Ten passes over what fits: sets that are too small for their share lose lines, and only theirs.
TEST(l1_rules, ways_cost_hits_in_either_cache) {
  const Kernel l1_sized{.of_cta = [](auto) { return sweep(0, 16, 10); }};
  const Kernel l2_sized{.of_cta = [](auto) { return sweep(0, 64, 10); }};
  configs::Gpu gpu = small_gpu();
  gpu.l1.ways = 2;
  gpu.l2.ways = 4;
  const double l1 = run(gpu, l1_sized).rates.l1, l2 = run(gpu, l2_sized).by_task[0].l2;
  EXPECT_LT(l1, 0.9);
  EXPECT_GT(l1, 0.2);
  EXPECT_LT(l2, 0.9);
  EXPECT_GT(l2, 0.2);
}

// 16 lines of constants fit, whatever the sets of L1.
TEST(l1_rules, ways_are_none_of_the_constant_cache) {
  configs::Gpu gpu = small_gpu();
  gpu.constant_bytes = 16 * line_bytes;
  gpu.l1.ways = 2;
  const Kernel kernel{.of_cta = [](auto) { return sweep(0, 16, 10); }, .operations = {"ld.const.f32"}};
  EXPECT_DOUBLE_EQ(run(gpu, kernel).rates.constant_miss, 0.1);
}

// 400 passes over 5 lines for every 4 of either cache: with any line going a share of 0.628 hits, the fixed
// point h = exp(-(1 - h) 5 / 4), a little more where 16 lines are so few.
TEST(l1_rules, any_line_may_go_from_either_cache) {
  const Kernel l1_sized{.of_cta = [](auto) { return sweep(0, 20, 400); }};
  const Kernel l2_sized{.of_cta = [](auto) { return sweep(0, 80, 400); }, .operations = {"ld.global.cg.f32"}};
  configs::Gpu gpu = small_gpu();
  EXPECT_EQ(run(gpu, l1_sized).rates.l1, 0);
  EXPECT_EQ(run(gpu, l2_sized).rates.l2, 0);
  gpu.l1.replacement = configs::Replacement::random;
  EXPECT_NEAR(run(gpu, l1_sized).rates.l1, 0.628, 0.03);
  EXPECT_EQ(run(gpu, l2_sized).rates.l2, 0);
  gpu.l2.replacement = configs::Replacement::random;
  EXPECT_NEAR(run(gpu, l2_sized).rates.l2, 0.628, 0.02);
}

// A line of two sectors of 64 bytes: the second half of a line is fetched with the first, or not.
TEST(l1_rules, sectors_are_fetched_one_by_one) {
  tasklist::AccessPattern half;
  half.mask = 0xff;
  half.bytes = 4;
  for (std::uint32_t lane = 0; lane < 8; ++lane)
    half.offsets[lane] = 4 * lane;
  class Halves final : public tasklist::AccessSource {
  public:
    explicit Halves(const tasklist::AccessPattern& pattern) : patterns_{pattern} {}
    tasklist::PlacedTrace cta(std::uint64_t) override {
      auto trace = std::make_shared<tasklist::CtaTrace>();
      for (std::uint64_t quarter = 0; quarter < 4; ++quarter)
        trace->accesses.push_back({32 * quarter, {}, 0, 0});
      trace->warp_begin = {0, 4};
      return {trace, {}};
    }
    const std::vector<tasklist::AccessPattern>& patterns() const override { return patterns_; }
    std::uint64_t executed() const override { return 0; }

  private:
    std::vector<tasklist::AccessPattern> patterns_;
  } source(half);
  const tasklist::Tasklist list = list_of({"ld.global.f32"});
  tasklist::Launch launch;
  launch.block.x = 32;
  configs::Gpu gpu = small_gpu();
  for (const auto& [sector, l1] : {std::pair{32U, 0.0}, {64U, 0.5}, {128U, 0.75}}) {
    gpu.l1.sector_bytes = gpu.l2.sector_bytes = sector;
    EXPECT_DOUBLE_EQ(DeviceCaches(gpu, {}).run({source, list, launch, 1}).rates.l1, l1) << sector;
  }
}

} // namespace
} // namespace kerncast::hit_rates
