// The five GPUs of Volkov's dissertation (001, Tables 2.6-2.8, 4.1, 6.1-6.5) as one SM: schedulers, and per
// unit the latency and the interval that follow from the printed rates. No CTA launch latency, no contention.
#pragma once

#include <cstdint>
#include <string>

#include "toy_kernel.h"

namespace kerncast::engine::gpus_of_001 {

enum Unit : std::uint16_t { alu, sfu, shared_memory, memory };

struct Cost {
  double interval = 1; // of a scheduler (ALU, SFU) or of the SM
  double latency = 1;
};

struct Gpu {
  std::string name;
  std::uint32_t schedulers = 1;
  std::uint32_t issue_interval = 1;
  std::uint32_t warps = 0; // at most
  Cost add, rsq, shared, conflict, load;
};

inline const Gpu gpus[] = {
    {"8800gtx", 1, 2, 24, {4, 20}, {16, 32}, {16 / 3.0, 38}, {32 / 3.0, 54}, {1 / 0.0268, 444}},
    {"gtx280", 1, 2, 32, {4, 24}, {16, 34}, {4, 40}, {8, 56}, {1 / 0.0277, 434}},
    {"gtx480", 2, 2, 48, {2, 18}, {16, 22}, {2, 26}, {4, 58}, {1 / 0.0599, 513}},
    {"gtx680", 4, 1, 64, {1, 9}, {4, 9}, {1, 24}, {2, 56}, {1 / 0.1338, 301}},
    {"gtx980", 4, 1, 64, {1, 6}, {4, 13}, {1, 24}, {2, 26}, {1 / 0.0814, 368}}};

inline SmConfig config(const Gpu& gpu) {
  SmConfig c;
  c.sub_cores = gpu.schedulers;
  c.issue_interval = gpu.issue_interval;
  // By age, the youngest of a block's warps would starve and run alone at the end.
  c.scheduler = configs::SchedulerPolicy::lrr;
  c.units = {{configs::UnitScope::sub_core, 1},
             {configs::UnitScope::sub_core, 1},
             {configs::UnitScope::sm, 1},
             {configs::UnitScope::sm, 1}};
  return c;
}

inline toy::Op op(Unit unit, const Cost& cost, std::vector<std::uint16_t> after = {}) {
  return {unit, cost.interval, cost.latency, std::move(after)};
}

// One CTA of `warps` warps that repeat `ops`, chained: cycles.
inline double cycles(const Gpu& gpu, const std::vector<toy::Op>& ops, std::uint64_t repeats,
                     std::uint32_t warps) {
  return simulate_sm(toy::workload(config(gpu), ops, repeats, 1, 1, true, warps)).cycles;
}

} // namespace kerncast::engine::gpus_of_001
