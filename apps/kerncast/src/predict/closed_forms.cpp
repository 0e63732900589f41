#include "closed_forms.h"

#include <cmath>
#include <map>

#include "analytical/profile.h"
#include "engine/request_of.h"
#include "machine/executed_behaviour.h"

namespace kerncast::app {
namespace {

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

} // namespace

double LaunchProfile::warps() const {
  double sum = 0;
  for (const ProfiledPath& path : paths)
    sum += path.warps;
  return sum;
}

LaunchProfile profile_launch(const engine::KernelInput& input, const engine::KernelPlan& plan) {
  const double ctas = static_cast<double>(input.launch.grid.count());
  const double share_of_busiest_sm = std::ceil(ctas / input.gpu.sms) / ctas;
  const analytical::RequestOf requests = [&](const machine::MachineOp& op,
                                             const tasklist::AddressShape& shape) {
    return engine::request_of(op, shape, plan.hit_rates, input.gpu);
  };
  const machine::ExecutedBehaviour executed(input.behaviour, input.program);
  LaunchProfile launch;
  for (const auto& [path, warps] : warps_of_paths(executed.get()))
    launch.paths.push_back({analytical::profile({input.program, executed.get(), path, input.gpu, requests}),
                            warps * share_of_busiest_sm});
  return launch;
}

ClosedFormCycles cycles_of(const analytical::ClosedForm& model, const LaunchProfile& launch, double warps) {
  ClosedFormCycles result;
  double longest = -1;
  for (const ProfiledPath& path : launch.paths) {
    const analytical::WarpRate rate = model.rate(path.profile, warps);
    const double cycles = path.warps / rate.warps_per_cycle;
    result.cycles += cycles;
    if (cycles > longest) {
      longest = cycles;
      result.bound = bound_name(rate.bound);
    }
  }
  return result;
}

} // namespace kerncast::app
