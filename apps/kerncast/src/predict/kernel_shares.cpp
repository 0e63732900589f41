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

} // namespace kerncast::app
