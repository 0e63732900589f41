// Small changes of a launch or a GPU change its time little, and a better GPU does not make it slower, over
// random kernels, launches and GPUs; but where hardware has steps: a CTA more or less on an SM, or one more
// for the SM that has most.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "one_kernel.h"

namespace kerncast {
namespace {

struct RandomLaunch {
  std::uint32_t loads = 1, additions = 0, roots = 0, iterations = 1;
  std::uint32_t ctas = 1, warps = 1, registers = 16;
  std::string gpu;
  memory_model::HitRates hits;
};

constexpr const char* gpus[] = {"titan-x", "v100-sxm2-16gb", "rtx2080ti", "a100-sxm4-40gb", "h100-sxm"};

RandomLaunch random_launch(std::mt19937& random) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const auto share = [&] { return below(11) / 10.0; };
  RandomLaunch r;
  r.loads = 1 + below(4);
  r.additions = below(40);
  r.roots = below(4);
  r.iterations = 10 + below(20);
  r.ctas = 200 + below(1500);
  r.warps = 1 + below(16);
  r.registers = 16 + below(80);
  r.gpu = gpus[below(std::size(gpus))];
  r.hits = {share(), share()};
  return r;
}

// A loop of loads, a chain of additions and square roots on what they bring.
std::string text_of(const RandomLaunch& r) {
  std::string body = R"(.version 7.0
.target sm_52
.address_size 64
.visible .entry k(.param .u64 data) {
  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.s32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  mov.u32 %r5, 0;
  mov.f32 %f1, 0f00000000;
loop:
)";
  for (std::uint32_t i = 0; i < r.loads; ++i)
    body += "  ld.global.f32 %f2, [%rd3+" + std::to_string(4096 * i) + "];\n  add.f32 %f1, %f1, %f2;\n";
  for (std::uint32_t i = 0; i < r.additions; ++i)
    body +=
        i % 3 == 0 ? "  add.f32 %f1, %f1, %f2;\n" : "  add.f32 %f3, %f2, %f2;\n  add.f32 %f1, %f1, %f3;\n";
  for (std::uint32_t i = 0; i < r.roots; ++i)
    body += "  sqrt.approx.f32 %f1, %f1;\n";
  return body + "  add.s64 %rd3, %rd3, 128;\n  add.s32 %r5, %r5, 1;\n  setp.lt.s32 %p1, %r5, " +
         std::to_string(r.iterations) +
         ";\n  @%p1 bra loop;\n  add.s64 %rd4, %rd1, %rd2;\n  st.global.f32 [%rd4], %f1;\n  ret;\n}\n";
}

engine::KernelPrediction predicted(const RandomLaunch& r,
                                   const std::vector<configs::Setting>& settings = {}) {
  tasklist::Launch launch;
  launch.grid.x = r.ctas;
  launch.block.x = 32 * r.warps;
  launch.registers = r.registers;
  launch.arguments.push_back({tasklist::Argument::Kind::buffer, 0, 0, 1U << 30});
  return predict(KernelLaunch{text_of(r), launch, r.hits}, r.gpu, settings);
}

std::string describe(const RandomLaunch& r) {
  return "loads " + std::to_string(r.loads) + ", additions " + std::to_string(r.additions) + ", roots " +
         std::to_string(r.roots) + ", iterations " + std::to_string(r.iterations) + ", CTAs " +
         std::to_string(r.ctas) + " of " + std::to_string(r.warps) + " warps, registers " +
         std::to_string(r.registers) + ", " + r.gpu + ", hits " + std::to_string(r.hits.l1) + " and " +
         std::to_string(r.hits.l2);
}

configs::Setting scaled(const std::string& key, double value, double factor) {
  return {key, std::to_string(value * factor)};
}

constexpr int launches = 24;
// Which warp goes first changes with every number (docs/explaining.md). Of 1,298 changes of 200 such launches
// 13 moved the time by more than 2.5 % beyond their share, one by more than 7.3 %: 13.1 %, where more SMs
// leave two CTAs an SM for the second round instead of four.
constexpr double scheduling_noise = 0.08;
constexpr double mean_noise = 0.004;

// What changes move the time by beyond their share.
class Noise {
public:
  void add(double change, const std::string& what) {
    EXPECT_LT(change, scheduling_noise) << what;
    sum_ += std::max(0.0, change);
    ++changes_;
  }
  void expect_little() const { EXPECT_LT(sum_ / changes_, mean_noise); }

private:
  double sum_ = 0;
  int changes_ = 0;
};

TEST(robustness, a_better_gpu_is_not_slower) {
  std::mt19937 random(20261);
  Noise noise;
  for (int i = 0; i < launches; ++i) {
    const RandomLaunch r = random_launch(random);
    const configs::Gpu gpu = gpu_of(r.gpu);
    const double us = predicted(r).time_us;
    const std::vector<configs::Setting> better[] = {
        {scaled("dram.sustained_fraction", gpu.dram.sustained_fraction, 1.03)},
        {scaled("l2.bytes_per_clock", gpu.l2.bytes_per_clock, 1.5)},
        {scaled("dram.latency", gpu.dram.latency, 0.95)},
        {scaled("l1.latency", gpu.l1.latency, 0.9)},
        {scaled("cta_launch_latency", gpu.cta_launch_latency, 0.8)},
        {{"sms", std::to_string(gpu.sms + gpu.sms / 4)}},
        {scaled("clock_mhz", gpu.clock_mhz, 1.2)}};
    for (const auto& settings : better) {
      const std::string what = settings.front().key + " = " + settings.front().value + ": " + describe(r);
      noise.add(predicted(r, settings).time_us / us - 1, what);
    }
  }
  noise.expect_little();
}

TEST(robustness, small_changes_make_small_changes) {
  std::mt19937 random(20262);
  Noise noise;
  for (int i = 0; i < launches; ++i) {
    const RandomLaunch r = random_launch(random);
    const configs::Gpu gpu = gpu_of(r.gpu);
    const double us = predicted(r).time_us;
    const auto expect_near = [&](const engine::KernelPrediction& changed, double share, const char* what) {
      noise.add(std::abs(changed.time_us / us - 1) - share, what + (": " + describe(r)));
    };
    expect_near(predicted(r, {{"clock_mhz", std::to_string(gpu.clock_mhz + 1)}}), 0, "one MHz");
    expect_near(predicted(r, {scaled("dram.latency", gpu.dram.latency, 1.01)}), 0.01, "latency of DRAM");
    expect_near(predicted(r, {scaled("dram.sustained_fraction", gpu.dram.sustained_fraction, 0.99)}), 0.01,
                "bandwidth of DRAM");
    RandomLaunch longer = r;
    ++longer.iterations;
    expect_near(predicted(longer), 1.0 / r.iterations, "one iteration");
    RandomLaunch wider = r;
    ++wider.registers;
    const engine::KernelPrediction with_register = predicted(wider);
    if (with_register.occupancy.ctas_per_sm == predicted(r).occupancy.ctas_per_sm)
      expect_near(with_register, 0, "one register");
    RandomLaunch larger = r;
    ++larger.ctas;
    const std::uint32_t most = (r.ctas + gpu.sms - 1) / gpu.sms; // CTAs of the SM with the most
    expect_near(predicted(larger), (larger.ctas + gpu.sms - 1) / gpu.sms == most ? 0 : 2.0 / most, "one CTA");
  }
  noise.expect_little();
}

} // namespace
} // namespace kerncast
