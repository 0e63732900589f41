// Predicted hit rates of our workloads against simulating every access of every SM: within 2 percentage
// points, with full effort equal where no line goes by chance. Sampled in two ways: one line in four, and
// half of the CTAs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "configs/loader.h"
#include "hit_rates/device_caches.h"
#include "hit_rates/issued_source.h"
#include "lowering/lower.h"
#include "machine/annotate.h"
#include "plain_caches.h"
#include "ptx_parser/parser.h"
#include "slice/grid_accesses.h"
#include "support/files.h"

namespace kerncast::hit_rates {
namespace {

using tasklist::Argument;

Argument integer(std::uint32_t value) { return {Argument::Kind::i32, value, 0, 0}; }
Argument buffer(std::uint32_t number) { return {Argument::Kind::buffer, 0, number, 1U << 26}; }
Argument real() { return {Argument::Kind::f32, 0, 0, 0}; }

struct Case {
  std::string file, kernel;
  tasklist::Dim3 grid, block;
  std::uint32_t ctas_per_sm;
  std::vector<Argument> arguments;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.kernel; }

struct Machine {
  std::uint32_t sms;
  std::uint64_t l1_kib, l2_kib;
  bool caches_global, keeps_stores;
  configs::Replacement replacement = configs::Replacement::lru;
  double dirty_fraction = 1;
};

// A Maxwell, an Ampere with little L2, and one where everything is small, also with any line going, or half
// of L2 dirty at most.
constexpr Machine machines[] = {{24, 48, 3072, false, false},
                                {108, 128, 4096, true, true},
                                {8, 16, 256, true, true},
                                {8, 16, 256, true, true, configs::Replacement::random},
                                {8, 16, 256, true, true, configs::Replacement::lru, 0.5}};

configs::Gpu gpu_of(const Machine& machine) {
  configs::Gpu gpu;
  gpu.sms = machine.sms;
  gpu.l1.bytes = machine.l1_kib << 10;
  gpu.l2.bytes = machine.l2_kib << 10;
  gpu.l1_caches_global = machine.caches_global;
  gpu.l1_keeps_stores = machine.keeps_stores;
  gpu.l1.replacement = gpu.l2.replacement = machine.replacement;
  gpu.l2.dirty_fraction = machine.dirty_fraction;
  return gpu;
}

class FullSimulation : public testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    auto source = read_source(std::string(KERNCAST_SOURCE_DIR) + "/apps/workloads/" + GetParam().file);
    ASSERT_TRUE(source) << render(source.error());
    auto module = ptx::parse(std::move(*source));
    ASSERT_TRUE(module) << render(module.error());
    const auto function = lowering::select_kernel(*module, GetParam().kernel);
    ASSERT_TRUE(function) << render(function.error());
    auto list = lowering::lower(*module, **function);
    ASSERT_TRUE(list) << render(list.error());
    list_ = std::move(*list);
    launch_.grid = GetParam().grid;
    launch_.block = GetParam().block;
    launch_.arguments = GetParam().arguments;
    auto traced = slice::trace_grid(slice::SliceProgram(*module, **function, list_), launch_);
    ASSERT_TRUE(traced) << render(traced.error());
    const auto gpu =
        configs::load_gpu("a100-sxm4-40gb", {}, configs::ConfigPath({KERNCAST_SOURCE_DIR "/configs"}));
    ASSERT_TRUE(gpu) << render(gpu.error());
    const auto program = machine::annotate(list_, *gpu);
    ASSERT_TRUE(program) << render(program.error());
    source_ = as_issued(std::move(*traced), list_, *program, gpu->scheduler);
  }
  LaunchHits predict(const configs::Gpu& gpu, const Effort& effort) {
    return DeviceCaches(gpu, effort).run({*source_, list_, launch_, GetParam().ctas_per_sm});
  }

  // Standard errors in a launch's notes, as fractions; 0 if it has none.
  static double stated_error(const LaunchHits& hits, const std::string& before_number) {
    const std::string note = hits.notes.empty() ? "" : hits.notes.front();
    const std::size_t at = note.find(before_number);
    return at == std::string::npos ? 0 : std::stod(note.substr(at + before_number.size())) / 100;
  }

  // Within 2 percentage points, or three standard errors as stated; what was found is kept for the report.
  static void expect_near(const LaunchHits& hits, const memory_model::HitRates& all, const std::string& how,
                          const Machine& machine) {
    const std::string where = how + ", " + std::to_string(machine.sms) + " SMs";
    const double l1_error = stated_error(hits, "standard error "), l2_error = stated_error(hits, "L1's and ");
    EXPECT_NEAR(hits.rates.l1, all.l1, std::max(0.02, 3 * l1_error)) << where;
    EXPECT_NEAR(hits.rates.l2, all.l2, std::max(0.02, 3 * l2_error)) << where;
    RecordProperty("l1 " + where, fmt::format("{:.5f} {:.5f} {:.5f}", all.l1, hits.rates.l1, l1_error));
    RecordProperty("l2 " + where, fmt::format("{:.5f} {:.5f} {:.5f}", all.l2, hits.rates.l2, l2_error));
  }

  tasklist::Tasklist list_;
  tasklist::Launch launch_;
  std::unique_ptr<tasklist::AccessSource> source_;
};

TEST_P(FullSimulation, IsPredicted) {
  for (const Machine& machine : machines) {
    const configs::Gpu gpu = gpu_of(machine);
    const memory_model::HitRates all =
        reference::simulate(*source_, list_, launch_.grid.count(), GetParam().ctas_per_sm, gpu, gpu.l1.bytes)
            .rates();
    const LaunchHits whole = predict(gpu, {});
    const double near = machine.replacement == configs::Replacement::lru ? 1e-9 : 0.02;
    EXPECT_NEAR(whole.rates.l1, all.l1, near) << machine.sms << " SMs";
    EXPECT_NEAR(whole.rates.l2, all.l2, near) << machine.sms << " SMs";
    const double lines = estimated_lines({*source_, list_, launch_, GetParam().ctas_per_sm}, gpu);
    if (lines > 20'000) // a sample of fewer says nothing
      expect_near(predict(gpu, {.sampling_shift = 2}), all, "one line in 4", machine);
    // Start and end of few waves are not like the rest.
    if (launch_.grid.count() >= 20ULL * gpu.sms * GetParam().ctas_per_sm)
      expect_near(predict(gpu, {.lines_per_launch = static_cast<std::uint64_t>(lines / 2)}), all,
                  "half of the CTAs", machine);
  }
}

// Launches of the applications, the largest made smaller where the plain simulation would take minutes.
INSTANTIATE_TEST_SUITE_P(
    workloads, FullSimulation,
    testing::Values(Case{"parboil/sgemm/sgemm.ptx",
                         "mysgemmNT",
                         {8, 66, 1},
                         {16, 8, 1},
                         8,
                         {buffer(0), integer(1024), buffer(1), integer(1056), buffer(2), integer(1024),
                          integer(64), real(), real()}},
                    Case{"rodinia/hotspot/hotspot.ptx",
                         "calculate_temp",
                         {43, 43, 1},
                         {16, 16, 1},
                         6,
                         {integer(2), buffer(0), buffer(1), buffer(2), integer(512), integer(512), integer(2),
                          integer(2), real(), real(), real(), real(), real(), real()}},
                    Case{"rodinia/pathfinder/pathfinder.ptx",
                         "dynproc_kernel",
                         {463, 1, 1},
                         {256, 1, 1},
                         8,
                         {integer(20), buffer(0), buffer(1), buffer(2), integer(100000), integer(100),
                          integer(0), integer(20)}},
                    Case{"rodinia/gaussian/gaussian.ptx",
                         "Fan2",
                         {128, 128, 1},
                         {4, 4, 1},
                         32,
                         {buffer(0), buffer(1), buffer(2), integer(512), integer(512), integer(3)}},
                    Case{"rodinia/gaussian/gaussian.ptx",
                         "Fan1",
                         {2, 1, 1},
                         {512, 1, 1},
                         4,
                         {buffer(0), buffer(1), integer(1024), integer(100)}}),
    [](const auto& one) { return one.param.kernel; });

} // namespace
} // namespace kerncast::hit_rates
