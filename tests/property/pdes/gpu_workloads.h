// Kernels that all SMs of a GPU run alike, and the one SM that stands for them.
#pragma once

#include <utility>
#include <vector>

#include "pdes/gpu.h"

namespace kerncast::pdes {

struct UniformKernel {
  double l1_hit = 0;
  double l2_hit = 0;
  std::uint32_t computations = 8; // between two loads, each needed by the next
  std::uint32_t warps_per_cta = 8;
  std::uint32_t resident_ctas = 4;
  std::uint64_t iterations = 64;
  std::uint64_t ctas_per_sm = 8;
  bool stores = false; // every iteration writes what it read
};

// 16 SMs of four sub-cores; a slice for each two; L1, L2 and DRAM answer after 30, 200 and 450 cycles.
struct UniformGpu {
  std::uint32_t sms = 16;
  double l2_bytes_per_clock = 32 * 16;
  double dram_bytes_per_clock = 8 * 16;
};

inline engine::SmProgram program_of(const UniformKernel& kernel) {
  using engine::SmOp;
  engine::SmProgram program;
  program.slot_count = 4;
  program.slots = {0, 1, 0};
  SmOp load{.unit = 1, .kind = engine::SmOpKind::memory, .waits_as = engine::WarpState::long_scoreboard};
  load.returns_data = true;
  load.destination_count = 1; // slot 0
  program.ops.push_back(load);
  SmOp computation{.latency = 4};
  computation.source_count = 1;
  computation.destination_count = 1;
  for (std::uint32_t i = 0; i < kernel.computations; ++i) {
    computation.slots = i == 0 ? 0 : 1; // 0 -> 1, then 1 -> 0
    program.ops.push_back(computation);
  }
  if (kernel.stores) {
    SmOp store{.unit = 1, .kind = engine::SmOpKind::memory};
    store.access = 1;
    program.ops.push_back(store);
  }
  const double l2 = (1 - kernel.l1_hit) * kernel.l2_hit;
  const double dram = (1 - kernel.l1_hit) * (1 - kernel.l2_hit);
  program.requests.push_back(
      {30, 1, 128, 128, 4, {{{kernel.l1_hit, 30, 0, 0}, {l2, 200, 128, 0}, {dram, 450, 128, 128}}}});
  program.requests.push_back({0, 1, 128, 128 * (1 - kernel.l2_hit), 4, {}});
  program.request_pool = {0, 1};
  program.steps = {
      {.kind = engine::Step::Kind::run, .end_op = static_cast<std::uint32_t>(program.ops.size())},
      {.kind = engine::Step::Kind::loop_end, .count = kernel.iterations},
      {.kind = engine::Step::Kind::finish}};
  program.path_start = {0};
  program.loop_depth = 1;
  return program;
}

// The representative SM: its share of everything.
inline engine::SmWorkload one_of_all(const UniformKernel& kernel, const UniformGpu& gpu) {
  engine::SmWorkload sm;
  sm.program = std::make_shared<const engine::SmProgram>(program_of(kernel));
  sm.config.sub_cores = 4;
  sm.config.units = {{configs::UnitScope::sub_core, 1}, {configs::UnitScope::sm, 1}};
  sm.config.cta_launch_latency = 300;
  sm.config.link_bytes_per_clock = 64;
  sm.config.in_flight_bytes = 65536;
  sm.config.l2_bytes_per_clock = gpu.l2_bytes_per_clock / gpu.sms;
  sm.config.dram_bytes_per_clock = gpu.dram_bytes_per_clock / gpu.sms;
  sm.kinds = {{std::vector<std::uint32_t>(kernel.warps_per_cta, 0)}};
  sm.ctas = {{0, kernel.ctas_per_sm}};
  sm.resident_ctas = kernel.resident_ctas;
  return sm;
}

inline GpuWorkload all_of(const UniformKernel& kernel, const UniformGpu& gpu = {}) {
  GpuWorkload out{.surroundings = {.sms = gpu.sms, .slices = gpu.sms / 2}, .sm = one_of_all(kernel, gpu)};
  out.sm.ctas = {{0, kernel.ctas_per_sm * gpu.sms}};
  GpuSurroundings& around = out.surroundings;
  around.one_way = around.lookahead = engine::begin_of(50);
  around.cta_launch_latency = engine::begin_of(300);
  around.l2_bytes_per_clock = gpu.l2_bytes_per_clock / around.slices;
  around.dram_bytes_per_clock = gpu.dram_bytes_per_clock / around.slices;
  return out;
}

} // namespace kerncast::pdes
