#include "kernel_shares.h"

namespace kerncast::app {

std::vector<timeline::KernelShare> kernel_shares(const std::vector<engine::KernelPrediction>& of_launch) {
  std::vector<timeline::KernelShare> shares;
  for (const engine::KernelPrediction& p : of_launch)
    shares.push_back(
        p.use ? timeline::KernelShare{p.use->sms, p.use->residency, p.use->busiest, p.use->bandwidth}
              : timeline::KernelShare{});
  return shares;
}

std::vector<timeline::KernelParts> kernel_parts(const std::vector<engine::KernelPrediction>& of_launch) {
  std::vector<timeline::KernelParts> parts;
  for (const engine::KernelPrediction& p : of_launch)
    parts.push_back(p.dependents ? timeline::KernelParts{p.dependents->trigger, p.dependents->prologue}
                                 : timeline::KernelParts{});
  return parts;
}

} // namespace kerncast::app
