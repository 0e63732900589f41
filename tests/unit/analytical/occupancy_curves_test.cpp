// Claims: ridge, the warps for 90 %, and the cusp are where the arithmetic puts them; names are found.
#include <gtest/gtest.h>

#include <set>

#include "analytical/occupancy_curve.h"

namespace kerncast::analytical {
namespace {

const ClosedForm& volkov_model() {
  for (const ClosedForm& m : closed_forms())
    if (m.name == "volkov")
      return m;
  throw std::logic_error("no such model");
}

// 10 x 4 + 2 x 180 = 400 cycles alone; 2 x 20 cycles of memory: full at 400 / 40 = 10 warps.
TwoSubsystemKernel kernel() {
  TwoSubsystemKernel k;
  k.compute_instructions = 10;
  k.memory_instructions = 2;
  k.compute_interval = 1;
  k.compute_latency = 4;
  k.memory_interval = 20;
  k.memory_latency = 180;
  return k;
}

TEST(OccupancyCurve, of_volkov_rises_to_the_ridge_and_stays) {
  const std::vector<WarpRate> curve = occupancy_curve(volkov_model(), profile_of(kernel()), 16);
  ASSERT_EQ(curve.size(), 16U);
  EXPECT_EQ(curve[0].warps_per_cycle, 1.0 / 400);
  EXPECT_EQ(curve[8].bound, "latency");
  EXPECT_EQ(curve[9].bound, "memory");
  EXPECT_EQ(curve[15].warps_per_cycle, 1.0 / 40);
}

TEST(CurvePoints, are_read_off_the_curve) {
  const std::vector<double> warps = {2, 4, 6, 8, 10, 12};
  const std::vector<double> curve = {2, 4, 6, 8, 9, 9};
  const CurvePoints points = points_of(warps, curve); // 90 % of 9 is 8.1
  EXPECT_EQ(points.peak, 9);
  EXPECT_EQ(points.ridge_warps, 10);
  EXPECT_EQ(points.warps_for_90_percent, 10);
}

// The peak of a falling curve is where it was reached first.
TEST(CurvePoints, of_a_curve_that_falls_again) {
  const std::vector<double> warps = {1, 2, 3};
  const std::vector<double> curve = {5, 10, 7};
  EXPECT_EQ(points_of(warps, curve).ridge_warps, 2);
}

// lambda_mem / lambda_comp computations per access; 4 / 1 + 180 / 20 warps.
TEST(Cusp, is_where_both_subsystems_are_full) {
  EXPECT_EQ(cusp(kernel()).compute_intensity, 20);
  EXPECT_EQ(cusp(kernel()).warps, 13);
}

TEST(ClosedForms, have_names_of_their_own) {
  std::set<std::string_view> names;
  for (const ClosedForm& m : closed_forms())
    EXPECT_TRUE(names.insert(m.name).second) << m.name;
  EXPECT_EQ(names.size(), 21U);
}

TEST(ClosedForms, contention_without_coefficients_is_named) {
  KernelProfile p = profile_of(kernel());
  p.loaded_memory.accesses = 2;
  for (const ClosedForm& m : closed_forms())
    EXPECT_EQ(assumption_of(m, p).empty(), m.name != "volkov-contention") << m.name;
  p.loaded_memory.c = 100;
  EXPECT_EQ(assumption_of(closed_forms()[3], p), "");
}

} // namespace
} // namespace kerncast::analytical
