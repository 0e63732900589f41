#include "ppt_rows.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models.h"

namespace kerncast::app {
namespace {

constexpr double us_per_s = 1e6;

// Of the limits that give the tool's CTAs per SM the first. Its rule knows no allocation granularity.
configs::Limiter limiter_of(const ppt_gpu_2019::Input& input, std::uint64_t blocks_per_sm) {
  const ppt_gpu_2019::Launch& launch = input.launch;
  const ppt_gpu_2019::Hardware& hardware = input.hardware;
  const std::uint64_t no_limit = UINT64_MAX;
  const std::uint64_t registers = std::uint64_t{launch.threads_per_block} * launch.registers_per_thread;
  const std::pair<configs::Limiter, std::uint64_t> limits[] = {
      {configs::Limiter::registers, registers == 0 ? no_limit : hardware.registers_per_sm / registers},
      {configs::Limiter::shared_memory, launch.shared_bytes_per_block == 0
                                            ? no_limit
                                            : hardware.shared_bytes_per_sm / launch.shared_bytes_per_block},
      {configs::Limiter::threads, hardware.max_threads_per_sm / launch.threads_per_block},
      {configs::Limiter::ctas, hardware.max_blocks_per_sm}};
  for (const auto& [limiter, blocks] : limits)
    if (blocks <= blocks_per_sm)
      return limiter;
  return configs::Limiter::grid;
}

configs::Occupancy occupancy_of(const ppt_gpu_2019::Input& input, const ppt_gpu_2019::Result& result) {
  configs::Occupancy occupancy;
  occupancy.ctas_per_sm = static_cast<std::uint32_t>(result.blocks_per_sm);
  occupancy.warps_per_sm = static_cast<std::uint32_t>(result.blocks_per_sm * result.warps_per_block);
  const double warps_limit = input.hardware.max_threads_per_sm / tasklist::lanes_per_warp;
  occupancy.fraction = occupancy.warps_per_sm / warps_limit;
  occupancy.limiter = limiter_of(input, result.blocks_per_sm);
  return occupancy;
}

} // namespace

engine::KernelPrediction to_prediction(const ppt_gpu_2019::Input& input, const ppt_gpu_2019::Result& result) {
  engine::KernelPrediction p;
  p.kernel = input.name;
  p.time_us = result.kernel_time_s * us_per_s;
  p.cycles = result.cycles;
  p.warp_instructions = input.launch.grid_blocks * result.warps_per_block * input.items.size();
  p.simulated_warp_instructions = result.warp_instructions;
  p.ipc_per_sm = result.cycles > 0 ? static_cast<double>(result.warp_instructions) / result.cycles : 0;
  p.occupancy = occupancy_of(input, result);
  p.registers = input.launch.registers_per_thread;
  p.waves = static_cast<double>(result.waves);
  p.hit_rates = {0, input.launch.l2_hit};
  p.hit_source = "oracle";
  p.dram_bytes = not_said;
  p.l2_bytes = not_said;
  p.launch_overhead_us = input.launch_overhead_s * us_per_s;
  if (result.waves > 1)
    p.assumptions.push_back(fmt::format(
        "ppt-gpu-2019: cycles are those of one wave, as the tool prints them; time_us is that of all {}",
        result.waves));
  return p;
}

} // namespace kerncast::app
