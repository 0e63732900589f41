// Asking for more never lets more CTAs onto an SM.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "configs/loader.h"
#include "configs/occupancy.h"

namespace kerncast::configs {
namespace {

Gpu gpu_named(const char* name) {
  auto gpu = load_gpu(name, {}, ConfigPath({std::filesystem::path(KERNCAST_SOURCE_DIR) / "configs"}));
  return gpu.value();
}

std::uint32_t ctas(const CtaResources& cta, const Gpu& gpu) {
  const auto result = occupancy(cta, gpu);
  return result ? result->ctas_per_sm : 0;
}

CtaResources any_cta() {
  return {*rc::gen::inRange(1U, 1100U), *rc::gen::inRange(0U, 260U), *rc::gen::inRange(0U, 240000U), 0};
}

RC_GTEST_PROP(OccupancyMonotone, MoreOfAResourceAllowsNoMoreCtas, ()) {
  static const std::vector<Gpu> gpus = {gpu_named("k40m"), gpu_named("a100-sxm4-40gb")};
  const Gpu& gpu = gpus[*rc::gen::inRange<std::size_t>(0, gpus.size())];
  const CtaResources cta = any_cta();
  CtaResources more = cta;
  more.threads_per_cta += *rc::gen::inRange(0U, 64U);
  more.registers_per_thread += cta.registers_per_thread == 0 ? 0 : *rc::gen::inRange(0U, 8U);
  more.shared_bytes_per_cta += *rc::gen::inRange(0U, 4096U);
  RC_ASSERT(ctas(more, gpu) <= ctas(cta, gpu));
}

RC_GTEST_PROP(OccupancyMonotone, ResidentWarpsNeverExceedTheLimit, ()) {
  static const Gpu gpu = gpu_named("titan-x");
  const CtaResources cta = any_cta();
  if (const auto result = occupancy(cta, gpu)) {
    RC_ASSERT(result->warps_per_sm <= gpu.limits.warps_per_sm);
    RC_ASSERT(result->ctas_per_sm >= 1U);
    RC_ASSERT(result->fraction <= 1.0);
  }
}

} // namespace
} // namespace kerncast::configs
