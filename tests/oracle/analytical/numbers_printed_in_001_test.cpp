// The numbers that Volkov's dissertation (001) prints for its own and for earlier models.
#include <gtest/gtest.h>

#include <algorithm>

#include "analytical/baghsorkhi.h"
#include "analytical/contention.h"
#include "analytical/cuda_guide.h"
#include "analytical/gpumech.h"
#include "analytical/gpus_of_001.h"
#include "analytical/hong_kim.h"
#include "analytical/isolated.h"
#include "analytical/occupancy_curve.h"
#include "analytical/sim2012.h"
#include "analytical/volkov.h"

namespace kerncast::analytical {
namespace {

using thesis::cadd;
using thesis::cadd_profile;

const thesis::Gpu& gpu(const char* name) { return thesis::gpus.at(name); }

double basic(const char* name, double alpha, double n) {
  return volkov(cadd_profile(gpu(name), alpha), n).warps_per_cycle;
}

// Additions per cycle and SM: 32 lanes x alpha per load.
TEST(Volkov, adds_per_cycle) {
  EXPECT_NEAR(32 * 32 * basic("Kepler", 32, 64), 111.27, 0.005);
  EXPECT_NEAR(32 * 64 * basic("Maxwell", 64, 64), 126.03, 0.005);
  EXPECT_NEAR(32 * 32 * basic("GT200", 32, 8), 6.815, 0.0005);
}

// alu_lat alu_thru warps for additions alone; mem_lat mem_thru for loads alone.
TEST(Volkov, needed_occupancy) {
  const std::map<std::string, std::pair<double, double>> needed = {{"G80", {5, 11.9}},
                                                                   {"GT200", {6, 12.0}},
                                                                   {"Fermi", {18, 30.7}},
                                                                   {"Kepler", {36, 40.3}},
                                                                   {"Maxwell", {24, 30.0}}};
  for (const auto& [name, warps] : needed) {
    TwoSubsystemKernel additions = cadd(thesis::gpus.at(name), 1);
    additions.memory_instructions = 0;
    EXPECT_NEAR(needed_warps(profile_of(additions), 1), warps.first, 1e-9) << name;
    EXPECT_NEAR(needed_warps(cadd_profile(thesis::gpus.at(name), 0), 1), warps.second, 0.05) << name;
  }
}

// Maxwell: alpha* = 4 / 0.0814 = 49 and 6 x 4 + 368 x 0.0814 = 54 warps.
TEST(Volkov, cusp) {
  const Cusp at = cusp(cadd(gpu("Maxwell"), 1));
  EXPECT_NEAR(at.compute_intensity, 49, 0.5);
  EXPECT_NEAR(at.warps, 54, 0.1);
  EXPECT_NEAR(needed_warps(cadd_profile(gpu("Maxwell"), at.compute_intensity), 1), 54, 1.2);
}

// Section 7.1: 434 x 141.7 / (1.296 x 30 x 128) = 12.36 and 434 / (4 x 33) + 1 = 4.29. Up to 4 warps
// (434 + 32 x 24) / (434 + 4 x 33) = 2.124 times the basic model.
TEST(HongKim, on_the_gtx280) {
  const HongKim r = hong_kim(hong_kim_gtx280(32), 32);
  EXPECT_NEAR(r.mwp, 12.36, 0.005);
  EXPECT_NEAR(r.cwp, 4.29, 0.005);
  for (int n = 1; n <= 4; ++n)
    EXPECT_NEAR(1 / hong_kim(hong_kim_gtx280(32), n).cycles_per_warp / basic("GT200", 32, n), 2.124, 5e-4);
}

// The greatest and the least of model / basic over all warps that can be resident.
struct Range {
  double least = 1e9;
  double greatest = 0;
  int at = 0; // warps of the greatest
};
template <class Ipc> Range against_basic(const char* name, double alpha, int step, int max_warps, Ipc&& ipc) {
  Range r;
  for (int n = step; n <= max_warps; n += step) {
    const double quotient = ipc(n) / basic(name, alpha, n);
    r.least = std::min(r.least, quotient);
    if (quotient > r.greatest)
      r = {r.least, quotient, n};
  }
  return r;
}

double baghsorkhi_ipc(double alpha, double n) {
  TwoSubsystemKernel k = cadd(gpu("G80"), alpha);
  k.memory_interval = 37;
  return 1 / baghsorkhi_cycles_per_warp(k, n);
}

// Section 7.2: 1 / max(448 - 4 n, 37) without additions.
TEST(Baghsorkhi, on_the_g80) {
  for (int n = 1; n <= 24; ++n)
    EXPECT_NEAR(baghsorkhi_ipc(0, n), 1 / std::max(448.0 - 4 * n, 37.0), 1e-12) << n;
  const Range r = against_basic("G80", 32, 1, 24, [](double n) { return baghsorkhi_ipc(32, n); });
  EXPECT_NEAR(r.greatest, 1.652, 5e-4);
  EXPECT_EQ(r.at, 4);
  EXPECT_NEAR(baghsorkhi_ipc(32, 24) / basic("G80", 32, 24), 0.97, 0.005);
}

// Section 7.4, at the occupancies of whole warps per scheduler.
TEST(Sim2012, overestimates_by_up_to_two_at_the_knee) {
  struct Case {
    const char* gpu;
    double alpha;
    int schedulers, max_warps, at;
    double factor;
  };
  for (const Case& c : {Case{"Fermi", 32, 2, 48, 18, 1.74}, Case{"Kepler", 32, 4, 64, 36, 1.85},
                        Case{"Maxwell", 64, 4, 64, 24, 1.85}}) {
    const Range r = against_basic(c.gpu, c.alpha, c.schedulers, c.max_warps, [&](double n) {
      TwoSubsystemKernel k = cadd(gpu(c.gpu), c.alpha);
      k.memory_interval = gpu(c.gpu).mem_lat / gpu(c.gpu).sim_mwp_peak_bw;
      return 1 / sim2012_cycles_per_warp(k, n);
    });
    EXPECT_NEAR(r.greatest, c.factor, 0.0051) << c.gpu;
    EXPECT_EQ(r.at, c.at) << c.gpu;
  }
}

// At the intensities of Table 4.3.
TEST(ZhangOwens, overestimates_by_up_to_two) {
  struct Case {
    const char* gpu;
    double alpha;
    int max_warps;
    double factor;
  };
  for (const Case& c : {Case{"G80", 16, 24, 1.72}, Case{"GT200", 16, 32, 1.885}, Case{"Fermi", 32, 48, 1.891},
                        Case{"Kepler", 32, 64, 1.957}, Case{"Maxwell", 64, 64, 1.958}}) {
    const Range r = against_basic(c.gpu, c.alpha, 1, c.max_warps, [&](double n) {
      return zhang_owens(cadd_profile(gpu(c.gpu), c.alpha), n).warps_per_cycle;
    });
    EXPECT_NEAR(r.greatest, c.factor, 0.0051) << c.gpu;
  }
}

// Table 4.3, with one digit more than printed.
TEST(CudaGuide, needed_occupancy) {
  EXPECT_NEAR(cuda_guide_needed_warps(cadd(gpu("G80"), 16)), 6.94, 0.005);
  EXPECT_NEAR(cuda_guide_needed_warps(cadd(gpu("GT200"), 16)), 6.78, 0.005);
  EXPECT_NEAR(cuda_guide_needed_warps(cadd(gpu("Fermi"), 32)), 16.0, 0.05);
  EXPECT_NEAR(cuda_guide_needed_warps(cadd(gpu("Kepler"), 32)), 37.6, 0.05);
  EXPECT_NEAR(cuda_guide_needed_warps(cadd(gpu("Maxwell"), 64)), 23.0, 0.05);
}

// Section 7.5: 48 / 513 loads per cycle are 251.5 GB/s, where pins carry 177.4. Additions alone on Maxwell:
// 16 warps per scheduler / 6 cycles x 4 schedulers x 32 lanes = 341.3, where 128 cores are.
TEST(HuangRoundRobin, has_no_throughput_limit) {
  const std::vector<Interval> loads = {{1, 512, 1}};
  EXPECT_NEAR(gpumech_rr_rate(loads, 48) * thesis::gbps(gpu("Fermi")), 251.5, 0.05);
  const std::vector<Interval> additions = {{1, 5, 1}};
  EXPECT_NEAR(4 * 32 * gpumech_rr_rate(additions, 16), 341.3, 0.05);
}

// Section 7.6: n / ((n - 1) (1 - 1/6) + 1) at 16 warps is 1.185 instructions per cycle, where one issues.
TEST(HuangGreedyThenOldest, passes_its_issue_limit) {
  const std::vector<Interval> additions = {{1, 5, 1}};
  EXPECT_NEAR(gpumech_gto_rate(additions, 16), 1.185, 0.0005);
}

// Section 7.7, the synthetic GPU: s = 0.667 cycles, 16 SMs, 300 cycles, one transaction per access.
MemoryQueue synthetic(double n) { return {.service_cycles = 2.0 / 3, .requests = 16 * n, .latency = 300}; }

TEST(HuangBandwidth, turns_negative_past_saturation) {
  EXPECT_NEAR(synthetic(32).utilisation(), 1.138, 5e-4);
  EXPECT_NEAR(gpumech_bandwidth_delay(synthetic(29)), -11.05, 0.005);
  EXPECT_NEAR(300.0 / 29 + gpumech_bandwidth_delay(synthetic(29)), -0.703, 0.0025);
  EXPECT_NEAR(synthetic(28.125).utilisation(), 1, 1e-12);
}

// s = 1.4 GHz x 128 bytes / 177.4 GB/s on Fermi, 15 SMs. Section 7.7, alpha 32 and 34 warps: additions per
// cycle; section 7.8, stride 2 and 17 warps: two transactions per access.
TEST(HuangBandwidth, gives_negative_throughput_on_fermi) {
  const double service = 1.4 * 128 / 177.4;
  const double delay = gpumech_bandwidth_delay({service, 15 * 34, 513});
  const double cpi = (513 + 32 * 18) / (34 * 33.0) + delay / 33;
  EXPECT_NEAR(32 * 32 / (33 * cpi), -11.7, 0.05);
  const double strided = gpumech_bandwidth_delay({service, 15 * 2 * 17, 513});
  EXPECT_NEAR(strided, -119.6, 0.05);
  EXPECT_NEAR(513 / 17.0 + strided, -89.5, 0.1);
}

} // namespace
} // namespace kerncast::analytical
