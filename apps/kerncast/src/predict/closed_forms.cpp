#include "closed_forms.h"

#include <cmath>

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
  const std::vector<double> warps = tasklist::warps_by_path(executed.get());
  for (std::uint32_t path = 0; path < warps.size(); ++path)
    if (warps[path] > 0)
      launch.paths.push_back({analytical::profile({input.program, executed.get(), path, input.gpu, requests}),
                              warps[path] * share_of_busiest_sm});
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
