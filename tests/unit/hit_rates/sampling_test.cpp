// What bounding the cost changes, and that it is said.
#include <gtest/gtest.h>

#include "synthetic_launch.h"

namespace kerncast::hit_rates {
namespace {

// 4,096 lines of reuse at many distances: line i is read again after 2^(i mod 12) others.
std::vector<Access> mixed_reuse(std::uint64_t cta) {
  std::vector<Access> accesses;
  for (std::uint64_t i = 0; i < 4096; ++i) {
    accesses.push_back({0, cta * 4096 + i});
    const std::uint64_t back = std::uint64_t{1} << (i % 12);
    if (back <= i)
      accesses.push_back({0, cta * 4096 + i - back});
  }
  return accesses;
}

TEST(sampling, following_one_line_in_eight_changes_little_and_is_said) {
  configs::Gpu gpu = small_gpu(8);
  gpu.l1.bytes = 256 * line_bytes;
  gpu.l2.bytes = 8192 * line_bytes;
  const Kernel kernel{.ctas = 64, .of_cta = mixed_reuse, .ctas_per_sm = 1};
  const LaunchHits whole = run(gpu, kernel), sampled = run(gpu, kernel, {.sampling_shift = 3});
  EXPECT_TRUE(whole.notes.empty());
  EXPECT_NEAR(sampled.rates.l1, whole.rates.l1, 0.02);
  EXPECT_NEAR(sampled.rates.l2, whole.rates.l2, 0.02);
  ASSERT_EQ(sampled.notes.size(), 1U);
  EXPECT_NE(sampled.notes[0].find("one line in 8 followed, standard error"), std::string::npos);
}

// Of a stream every sampled line misses as all do: no error.
TEST(sampling, streams_are_exact_at_any_rate) {
  const Kernel kernel{.ctas = 4096, .of_cta = [](std::uint64_t cta) { return sweep(8 * cta, 8); }};
  for (const std::uint32_t shift : {0U, 2U, 4U}) {
    const LaunchHits hits = run(small_gpu(4), kernel, {.sampling_shift = shift});
    EXPECT_DOUBLE_EQ(hits.rates.l1, 0) << shift;
    EXPECT_DOUBLE_EQ(hits.rates.l2, 0) << shift;
  }
}

// A million CTAs, each reading a line of its own and one that all share: half the requests are for it.
TEST(sampling, of_a_long_launch_start_and_end_run) {
  configs::Gpu gpu = small_gpu(16);
  const Kernel kernel{.ctas = 1 << 20,
                      .of_cta =
                          [](std::uint64_t cta) {
                            return std::vector<Access>{{0, 1 + cta}, {0, 0}};
                          },
                      .ctas_per_sm = 8};
  const LaunchHits hits = run(gpu, kernel, {.lines_per_launch = 1 << 16});
  EXPECT_NEAR(hits.rates.l1, 0.5, 0.001);
  ASSERT_EQ(hits.notes.size(), 1U);
  EXPECT_NE(hits.notes[0].find("the first 16384 and the last 16384 of 1048576 CTAs"), std::string::npos)
      << hits.notes[0];
}

TEST(sampling, addresses_that_are_not_known_miss_and_are_named) {
  class Unknown final : public tasklist::AccessSource {
  public:
    Unknown() { patterns_[0].known = false, patterns_[0].mask = UINT32_MAX, patterns_[0].bytes = 4; }
    tasklist::PlacedTrace cta(std::uint64_t) override {
      auto trace = std::make_shared<tasklist::CtaTrace>();
      trace->accesses.assign(4, {0, {}, 0, 0});
      trace->warp_begin = {0, 4};
      return {trace, {}};
    }
    const std::vector<tasklist::AccessPattern>& patterns() const override { return patterns_; }
    std::uint64_t executed() const override { return 0; }

  private:
    std::vector<tasklist::AccessPattern> patterns_ = std::vector<tasklist::AccessPattern>(1);
  } source;
  tasklist::Launch launch;
  launch.grid.x = 4;
  launch.block.x = 32;
  const configs::Gpu gpu = small_gpu();
  for (const auto& [operation, displaced] : {std::pair{"ld.global.f32", 0.0}, std::pair{"st.global.f32", 0.0},
                                             std::pair{"atom.global.add.u32", 1.0}}) { // fetched and written
    const tasklist::Tasklist list = list_of({operation});
    const LaunchHits hits = DeviceCaches(gpu, {}).run({source, list, launch, 1});
    EXPECT_EQ(hits.rates.l1, 0) << operation;
    EXPECT_EQ(hits.rates.l2, 0) << operation;
    EXPECT_EQ(hits.rates.displaced, displaced) << operation;
    ASSERT_EQ(hits.notes.size(), 1U);
    EXPECT_NE(hits.notes[0].find("100.0 % of the sectors have unknown addresses"), std::string::npos);
  }
}

} // namespace
} // namespace kerncast::hit_rates
