#include "analytical/gpuperf.h"

#include "analytical/sim2012.h"

namespace kerncast::analytical {

WarpRate gpuperf(const KernelProfile& profile, double warps) {
  const std::string busiest = busiest_compute_subsystem(profile);
  KernelProfile one = profile;
  for (SubsystemLoad& load : one.subsystems)
    if (load.name != busiest)
      load.cycles_per_warp = load.memory_cycles_per_warp;
  return sim2012(one, warps);
}

} // namespace kerncast::analytical
