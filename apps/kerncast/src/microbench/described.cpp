#include "described.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kerncast::app {

const configs::IsaRow* row_of(const configs::Gpu& gpu, std::string_view operation) {
  const configs::IsaRow* row = gpu.isa->find(operation);
  return row == nullptr || row->machine.empty() ? nullptr : row;
}

Described describe(std::span<const Times> group, const configs::Gpu& gpu) {
  Described described;
  std::vector<double> held(gpu.units.size(), 0); // cycles of each unit
  double slots = 0;
  for (const auto& [row, count] : group)
    for (const configs::MachineOpSpec& op : row->machine) {
      described.latency += op.parallel ? 0 : op.latency * op.count * count;
      held[op.unit] += op.issue_interval * op.count * count;
      slots += op.count * count;
    }
  const double issued_per_cycle = gpu.issue_width * (gpu.dual_issue ? 2.0 : 1.0) * gpu.sub_cores_per_sm;
  described.warp_interval = slots * std::max<double>(gpu.warp_issue_distance, gpu.issue_interval);
  described.sm_interval = slots * gpu.issue_interval / issued_per_cycle;
  for (std::size_t u = 0; u < held.size(); ++u) {
    const configs::Unit& unit = gpu.units[u];
    const double pipelines =
        unit.count * (unit.scope == configs::UnitScope::sub_core ? gpu.sub_cores_per_sm : 1.0);
    described.warp_interval = std::max(described.warp_interval, held[u] / unit.count);
    described.sm_interval = std::max(described.sm_interval, held[u] / pipelines);
  }
  described.is_single = slots == 1;
  return described;
}

Described describe(const configs::IsaRow& row, const configs::Gpu& gpu) {
  const Times once{&row};
  return describe(std::span(&once, 1), gpu);
}

double shared_latency_of_wavefronts(const configs::Gpu& gpu, const configs::IsaRow& row, double wavefronts) {
  const double interval = row.machine.front().issue_interval;
  const double each = gpu.shared.bytes_per_clock > 0
                          ? gpu.shared.banks * gpu.shared.bank_bytes / gpu.shared.bytes_per_clock
                          : interval;
  return gpu.shared.latency + std::max(0.0, wavefronts * each - interval);
}

double described_shared_latency(const configs::Gpu& gpu, const configs::IsaRow& row, std::uint32_t stride) {
  constexpr double lanes = 32;
  const std::uint32_t words_per_bank = gpu.shared.bank_bytes / 4;
  const std::uint32_t banks_apart = std::max(1U, stride / words_per_bank);
  const std::uint32_t banks_used = std::max(1U, gpu.shared.banks / banks_apart);
  const double wavefronts = std::max(1.0, lanes / banks_used);
  return shared_latency_of_wavefronts(gpu, row, wavefronts);
}

double described_dram_latency(const configs::Gpu& gpu, double load) {
  const configs::LoadedLatency& loaded = gpu.dram.loaded_latency;
  if (loaded.a <= 0)
    return gpu.dram_latency();
  return load < loaded.c ? gpu.dram_latency() * (1 + loaded.b / loaded.a * load / (loaded.c - load))
                         : HUGE_VAL;
}

double described_load(const configs::Gpu& gpu, double cycles) {
  double idle = 0, full = 1;
  for (int i = 0; i < 40; ++i) {
    const double load = (idle + full) / 2;
    (described_dram_latency(gpu, load) * load > cycles ? full : idle) = load;
  }
  return full;
}

double described_chain_latency(const configs::Gpu& gpu) {
  const double sector = gpu.l2.sector_bytes / gpu.dram_bytes_per_clock(); // cycles at full load
  return std::max(sector, described_dram_latency(gpu, described_load(gpu, sector)));
}

std::uint32_t filling_warps(const Described& operation, const configs::Gpu& gpu) {
  const auto of_sub_core = static_cast<std::uint32_t>(
      std::ceil(operation.latency / (operation.sm_interval * gpu.sub_cores_per_sm)));
  return std::min({gpu.limits.ctas_per_sm, gpu.limits.warps_per_sm, gpu.sub_cores_per_sm * of_sub_core});
}

double chain_cycles(const Described& operation, const configs::Gpu& gpu, std::uint32_t warps_of_sm) {
  const std::uint32_t warps = (warps_of_sm + gpu.sub_cores_per_sm - 1) / gpu.sub_cores_per_sm;
  const double interval = operation.sm_interval * gpu.sub_cores_per_sm;
  const bool goes_round =
      gpu.scheduler == configs::SchedulerPolicy::lrr || gpu.scheduler == configs::SchedulerPolicy::two_level;
  if (goes_round || interval >= operation.latency)
    return std::max(operation.latency, warps * interval);
  return operation.latency * std::ceil(warps * interval / operation.latency);
}

} // namespace kerncast::app
