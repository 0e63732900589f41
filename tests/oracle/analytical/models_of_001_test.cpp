// Claims: every closed form gives the grid of tests/data/volkov to 1e-4, and the needed occupancies too.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "analytical/baghsorkhi.h"
#include "analytical/contention.h"
#include "analytical/gpumech.h"
#include "analytical/gpus_of_001.h"
#include "analytical/hong_kim.h"
#include "analytical/isolated.h"
#include "analytical/sim2012.h"
#include "analytical/volkov.h"
#include "csv.h"

namespace kerncast::analytical {
namespace {

using thesis::cadd;
using thesis::cadd_profile;

double volkov_ipc(const thesis::Gpu& gpu, double alpha, double n) {
  return volkov(cadd_profile(gpu, alpha), n).warps_per_cycle;
}

double refined_ipc(const thesis::Gpu& gpu, double alpha, double n) {
  return volkov_contention(cadd_profile(gpu, alpha), n).warps_per_cycle;
}

double sim_ipc(const thesis::Gpu& gpu, double alpha, double n) {
  TwoSubsystemKernel k = cadd(gpu, alpha);
  k.memory_interval = gpu.mem_lat / gpu.sim_mwp_peak_bw;
  return 1 / sim2012_cycles_per_warp(k, n);
}

// Every instruction is an interval of its own: it issues and stalls for the rest of its latency.
std::vector<Interval> one_instruction_intervals(const thesis::Gpu& gpu, double alpha) {
  return {{1, gpu.mem_lat - 1, 1}, {1, gpu.alu_lat - 1, alpha}};
}

// Occupancy per scheduler, result of all schedulers, all alpha + 1 instructions.
double huang_ipc(const thesis::Gpu& gpu, double alpha, double n, bool greedy) {
  const std::vector<Interval> intervals = one_instruction_intervals(gpu, alpha);
  const double per_scheduler = n / gpu.huang_schedulers;
  return gpu.huang_schedulers * (alpha + 1) *
         (greedy ? gpumech_gto_rate(intervals, per_scheduler) : gpumech_rr_rate(intervals, per_scheduler));
}

// On the G80 with its 37 cycles per load (section 7.2).
double baghsorkhi_ipc(const thesis::Gpu& gpu, double alpha, double n) {
  TwoSubsystemKernel k = cadd(gpu, alpha);
  k.memory_interval = 37;
  return 1 / baghsorkhi_cycles_per_warp(k, n);
}

using Model = std::function<double(const thesis::Gpu&, double alpha, double n)>;

const std::map<std::string, Model> columns = {
    {"volkov_mem_ipc", volkov_ipc},
    {"volkov_adds_per_cycle", [](auto& g, double a, double n) { return 32 * a * volkov_ipc(g, a, n); }},
    {"volkov_GBs", [](auto& g, double a, double n) { return thesis::gbps(g) * volkov_ipc(g, a, n); }},
    {"refined_mem_ipc", refined_ipc},
    {"refined_GBs", [](auto& g, double a, double n) { return thesis::gbps(g) * refined_ipc(g, a, n); }},
    {"isolated_max_mem_ipc",
     [](auto& g, double a, double n) { return zhang_owens(cadd_profile(g, a), n).warps_per_cycle; }},
    {"isolated_add_mem_ipc",
     [](auto& g, double a, double n) { return isolated_sum(cadd_profile(g, a), n).warps_per_cycle; }},
    {"sim2012_mem_ipc", sim_ipc},
    {"huangRR_total_ipc", [](auto& g, double a, double n) { return huang_ipc(g, a, n, false); }},
    {"huangGTO_total_ipc", [](auto& g, double a, double n) { return huang_ipc(g, a, n, true); }},
    {"hongkim_mem_ipc(GT200)",
     [](auto&, double a, double n) { return 1 / hong_kim(hong_kim_gtx280(a), n).cycles_per_warp; }},
    {"baghsorkhi_mem_ipc(G80)", baghsorkhi_ipc}};

TEST(ModelsOf001, give_all_rows_of_the_grid) {
  const std::vector<test::CsvRow> rows = test::read_csv("volkov/golden_model.csv");
  ASSERT_EQ(rows.size(), 1792U);
  std::map<std::string, int> compared;
  double largest_error = 0;
  for (const test::CsvRow& row : rows) {
    const thesis::Gpu& gpu = thesis::gpus.at(row.at("gpu"));
    const double alpha = std::stod(row.at("alpha"));
    const double n = std::stod(row.at("n_warps_per_SM"));
    for (const auto& [column, model] : columns) {
      if (row.at(column).empty())
        continue;
      const double expected = std::stod(row.at(column));
      const double found = model(gpu, alpha, n);
      EXPECT_NEAR(found, expected, 1e-4 * expected)
          << column << " " << row.at("gpu") << " alpha " << alpha << " n " << n;
      ++compared[column];
      if (expected > 0)
        largest_error = std::max(largest_error, std::fabs(found / expected - 1));
    }
  }
  RecordProperty("rows", compared["volkov_mem_ipc"]);
  RecordProperty("largest_relative_error_1e9", std::to_string(1e9 * largest_error));
  EXPECT_EQ(compared["volkov_mem_ipc"], 1792);
  EXPECT_EQ(compared["refined_GBs"], 1792);
  EXPECT_EQ(compared["isolated_add_mem_ipc"], 1792);
  EXPECT_EQ(compared["sim2012_mem_ipc"], 896);
  EXPECT_EQ(compared["huangGTO_total_ipc"], 896);
  EXPECT_EQ(compared["hongkim_mem_ipc(GT200)"], 480);
  EXPECT_EQ(compared["baghsorkhi_mem_ipc(G80)"], 384);
}

// Printed with two digits behind the point.
TEST(ModelsOf001, give_the_needed_occupancies) {
  const std::vector<test::CsvRow> rows = test::read_csv("volkov/golden_cusp.csv");
  ASSERT_EQ(rows.size(), 80U);
  for (const test::CsvRow& row : rows) {
    const KernelProfile p = cadd_profile(thesis::gpus.at(row.at("gpu")), std::stod(row.at("alpha")));
    const std::string where = row.at("gpu") + " alpha " + row.at("alpha");
    EXPECT_NEAR(needed_warps(p, 1), std::stod(row.at("n_basic_100pct")), 0.0051) << where;
    EXPECT_NEAR(needed_warps(p, 0.9), std::stod(row.at("n_basic_90pct")), 0.0051) << where;
    EXPECT_NEAR(needed_warps_with_contention(p, 0.9), std::stod(row.at("n_refined_90pct")), 0.0051) << where;
  }
}

} // namespace
} // namespace kerncast::analytical
