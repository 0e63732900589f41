// The tool's settings from one of our GPU descriptions. Lanes are what the units sustain: 32 x pipelines /
// issue interval, for the units that stand for the tool's four kinds of slots.
#include "ppt_gpu_2019/from_tasklist.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "configs/isa.h"

namespace kerncast::ppt_gpu_2019 {
namespace {

struct Representative {
  std::string_view operation; // PTX; runs on the unit whose rate counts
  std::uint32_t Hardware::*lanes;
};
constexpr std::array<Representative, 4> representatives = {{{"fma.rn.f32", &Hardware::sp_lanes},
                                                            {"fma.rn.f64", &Hardware::dp_lanes},
                                                            {"ex2.approx.f32", &Hardware::sf_lanes},
                                                            {"ld.global.b32", &Hardware::load_store_units}}};

Expected<std::uint32_t> lanes_for(const configs::Gpu& gpu, std::string_view operation) {
  const configs::IsaRow* row = gpu.isa ? gpu.isa->find(operation) : nullptr;
  if (row == nullptr || row->machine.empty())
    return fail(
        fmt::format("{} has no machine operation for {}, whose rate this model needs", gpu.name, operation),
        "add a row for it to the ISA table of the GPU");
  const configs::MachineOpSpec& op = row->machine.back();
  const configs::Unit& unit = gpu.units[op.unit];
  const double pipelines =
      unit.scope == configs::UnitScope::sub_core ? double{1} * unit.count * gpu.sub_cores_per_sm : unit.count;
  const double interval = std::max(op.issue_interval, 1.0 / max_count);
  return static_cast<std::uint32_t>(std::clamp(32 * pipelines / interval, 1.0, double{max_count}));
}

} // namespace

Expected<Hardware> to_hardware(const configs::Gpu& gpu) {
  Hardware hardware;
  hardware.gpu_name = gpu.name;
  for (const Representative& representative : representatives) {
    const Expected<std::uint32_t> lanes = lanes_for(gpu, representative.operation);
    if (!lanes)
      return tl::unexpected(lanes.error());
    hardware.*representative.lanes = *lanes;
  }
  hardware.sms = gpu.sms;
  hardware.warp_schedulers = gpu.sub_cores_per_sm;
  hardware.instructions_per_warp = gpu.dual_issue ? 2 : 1;
  hardware.registers_per_sm = gpu.limits.registers_per_sm;
  hardware.shared_bytes_per_sm = gpu.limits.shared_bytes_per_sm;
  hardware.max_blocks_per_sm = gpu.limits.ctas_per_sm;
  hardware.max_threads_per_sm = std::min(gpu.limits.threads_per_sm, max_threads_per_sm);
  hardware.max_threads_per_block = gpu.limits.threads_per_cta;
  hardware.clock_hz = gpu.clock_mhz * 1e6;
  hardware.l2_latency = gpu.l2_latency();
  hardware.l2_to_global_latency = std::max(0.0, gpu.dram.latency - gpu.l2.latency);
  hardware.local_latency = gpu.dram_latency();
  hardware.constant_latency = gpu.constant_latency;
  hardware.texture_latency = gpu.texture_latency;
  hardware.shared_latency = gpu.shared.latency;
  return hardware;
}

} // namespace kerncast::ppt_gpu_2019
