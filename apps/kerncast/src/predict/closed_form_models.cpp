// --model roofline and volkov: throughput of an SM in warps per cycle from the sums over one warp's
// instructions (paper 003, section 2). The SM with the most CTAs decides; its warps take the kernel's paths
// in the grid's proportion, one kind after the other. Left out: start, tail, and mixing of unlike warps.
#include <cmath>
#include <map>

#include "analytical/profile.h"
#include "analytical/roofline.h"
#include "analytical/volkov.h"
#include "engine/request_of.h"
#include "models.h"

namespace kerncast::app {
namespace {

using RateOf = analytical::WarpRate (*)(const analytical::KernelProfile& profile, double warps);

// Names of subsystems become those of a prediction's `bound`.
std::string bound_name(const std::string& subsystem) {
  for (const char* name : {"issue", "latency", "l2_bandwidth", "dram_bandwidth"})
    if (subsystem == name)
      return subsystem;
  return "unit:" + subsystem;
}

// Warps of the whole grid per path.
std::map<std::uint32_t, double> warps_of_paths(const tasklist::LaunchBehaviour& behaviour) {
  std::map<std::uint32_t, double> warps;
  for (const tasklist::CtaClass& one : behaviour.classes)
    for (const std::uint32_t path : one.warp_paths)
      warps[path] += static_cast<double>(one.cta_count);
  return warps;
}

void fill_cycles(const engine::KernelInput& input, const engine::KernelPlan& plan, RateOf rate_of,
                 engine::KernelPrediction& p) {
  const double ctas = static_cast<double>(input.launch.grid.count());
  const double share_of_busiest_sm = std::ceil(ctas / input.gpu.sms) / ctas;
  const analytical::RequestOf requests = [&](const machine::MachineOp& op,
                                             const tasklist::AddressShape& shape) {
    return engine::request_of(op, shape, plan.hit_rates, input.gpu);
  };
  double longest = -1;
  for (const auto& [path, warps] : warps_of_paths(input.behaviour)) {
    const analytical::KernelProfile profile =
        analytical::profile({input.program, input.behaviour, path, input.gpu, requests});
    const analytical::WarpRate rate = rate_of(profile, plan.occupancy.warps_per_sm);
    const double cycles = warps * share_of_busiest_sm / rate.warps_per_cycle; // 0 at an unbounded rate
    p.cycles += cycles;
    if (cycles > longest) {
      longest = cycles;
      p.bound = bound_name(rate.bound);
    }
  }
}

Expected<engine::KernelPrediction> predict_launch(const engine::KernelInput& input, RateOf rate_of) {
  const Expected<engine::KernelPlan> plan = engine::plan_kernel(input);
  if (!plan)
    return tl::unexpected(plan.error());
  engine::KernelPrediction p;
  p.kernel = plan->kernel;
  p.occupancy = plan->occupancy;
  p.registers = plan->registers;
  p.waves = plan->waves;
  p.warp_instructions = plan->warp_instructions;
  p.hit_rates = plan->hit_rates;
  p.hit_source = plan->hit_source;
  p.assumptions = plan->assumptions;
  p.launch_overhead_us = input.gpu.launch_overhead_us;
  p.dram_bytes = not_said;
  p.l2_bytes = not_said;
  fill_cycles(input, *plan, rate_of, p);
  p.time_us = input.gpu.cycles_to_us(p.cycles);
  p.ipc_per_sm = p.cycles > 0 ? static_cast<double>(p.warp_instructions) / p.cycles / input.gpu.sms : 0;
  return p;
}

} // namespace

Expected<Predictions> predict_roofline(const ModelInput& model) {
  return predict_each_launch(model, [](const engine::KernelInput& input) {
    return predict_launch(input, [](const analytical::KernelProfile& profile, double) {
      return analytical::roofline(profile);
    });
  });
}

Expected<Predictions> predict_volkov(const ModelInput& model) {
  return predict_each_launch(
      model, [](const engine::KernelInput& input) { return predict_launch(input, analytical::volkov); });
}

} // namespace kerncast::app
