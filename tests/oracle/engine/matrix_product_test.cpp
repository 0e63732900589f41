// 000, sec. III-C: the matrix product of the CUDA SDK with 8x8 and 16x16 work groups on Fermi and Pascal,
// with the latencies of Table III, and what bank conflicts would do (16/250 on Fermi, 7/100 on Pascal for the
// loads of the inner loop). The paper has no issue limit: four pipelines, up to four instructions a cycle.
#include <algorithm>

#include <gtest/gtest.h>

#include "toy_kernel.h"

namespace kerncast::engine {
namespace {

using toy::Cost;

struct Device {
  Cost loop, local, conflicting, a, b, barrier, fmadd;
  std::uint32_t groups = 0; // that fit: at most 8 on Fermi, and 48 or 64 warps
};

struct Product {
  std::uint16_t width = 8; // of the work group
  Device device;
};

enum Unit : std::uint16_t { alu, local_memory, global_memory, synchronisation };

const Product products[] = {
    {8, {{4, 58}, {2, 47}, {16, 250}, {20, 162}, {45, 479}, {3, 40}, {1, 18}, 8}},
    {16, {{4, 58}, {2, 47}, {16, 250}, {13, 244}, {17, 561}, {3, 40}, {1, 18}, 6}},
    {8, {{1.75, 29}, {1, 30}, {7, 100}, {7, 210}, {8, 409}, {2, 70}, {0.25, 6}, 32}},
    {16, {{1.75, 29}, {1, 30}, {7, 100}, {6, 247}, {10, 444}, {2, 70}, {0.25, 6}, 8}}};

// One iteration of the outer loop.
std::vector<toy::Op> iteration(const Product& product, const Cost& inner_load) {
  const Device& d = product.device;
  const auto op = [](Unit unit, const Cost& cost, std::vector<std::uint16_t> after) {
    return toy::Op{unit, cost.interval, cost.latency, std::move(after)};
  };
  std::vector<toy::Op> ops = {op(global_memory, d.a, {}), op(global_memory, d.b, {}),
                              op(local_memory, d.local, {0}), op(local_memory, d.local, {1})};
  toy::Op barrier = op(synchronisation, d.barrier, {});
  barrier.barrier = true;
  ops.push_back(barrier);
  const auto first = static_cast<std::uint16_t>(ops.size());
  for (int i = 0; i < 2 * product.width; ++i)
    ops.push_back(op(local_memory, inner_load, {}));
  for (std::uint16_t k = 0; k < product.width; ++k) {
    const auto pair = static_cast<std::uint16_t>(first + 2 * k);
    ops.push_back(op(alu, d.fmadd, {pair, static_cast<std::uint16_t>(pair + 1)}));
    if (k > 0)
      ops.back().after.push_back(static_cast<std::uint16_t>(ops.size() - 2));
  }
  ops.push_back(barrier);
  ops.push_back(op(alu, d.loop, {}));
  return ops;
}

struct Outcome {
  double per_warp = 0;   // cycles of the SM per warp and iteration
  double local_busy = 0; // share of the time
};

Outcome run(const Product& product, const Cost& inner_load) {
  const std::uint32_t warps = product.width * product.width / 32U;
  const std::uint64_t iterations = 200;
  const SmConfig config = toy::one_scheduler(4, 4, configs::SchedulerPolicy::lrr);
  const SmResult result =
      simulate_sm(toy::workload(config, iteration(product, inner_load), iterations, product.device.groups,
                                product.device.groups, true, warps));
  const double all = static_cast<double>(iterations) * product.device.groups * warps;
  return {result.cycles / all, result.unit_busy_cycles[local_memory] / result.cycles};
}

// Per warp and iteration the local memory holds two stores and 2 x width loads, the global memory A and B.
double local_bound(const Product& p, const Cost& inner_load) {
  return 2 * p.device.local.interval + 2 * p.width * inner_load.interval;
}

TEST(matrix_product, is_never_faster_than_its_pipelines) {
  for (const Product& p : products) {
    const double global = p.device.a.interval + p.device.b.interval;
    const Outcome plain = run(p, p.device.local);
    EXPECT_GE(plain.per_warp * (1 + 1e-9), std::max(global, local_bound(p, p.device.local))) << p.width;
  }
}

TEST(matrix_product, with_bank_conflicts_is_bound_by_local_memory) {
  for (const Product& p : products) {
    const Outcome plain = run(p, p.device.local), conflicts = run(p, p.device.conflicting);
    const double bound = local_bound(p, p.device.conflicting);
    EXPECT_GT(conflicts.local_busy, 0.93) << p.width << ", bound " << bound;
    EXPECT_NEAR(conflicts.per_warp, bound, 0.08 * bound) << p.width;
    EXPECT_GT(conflicts.per_warp, 2.5 * plain.per_warp) << p.width;
  }
}

} // namespace
} // namespace kerncast::engine
