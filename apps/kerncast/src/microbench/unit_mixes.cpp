// beta multiply-adds to one special function (apps/microbench/unit_mixes), on full SMs: bound by the slower
// unit, or by issue (003, eqs. 43 to 45).
#include <fmt/format.h>

#include "configs/compute_capability.h"
#include "described.h"
#include "families.h"
#include "measurements.h"
#include "repeated.h"

namespace kerncast::app {
namespace {

// The equations are bounds: never above, and most below where both units, or a unit and issue, would be full,
// as warps that are picked by age move in step.
constexpr double mix_tolerance = 0.25;
constexpr std::uint32_t groups_per_trip = 8;

} // namespace

Expected<double> cycles_per_mix_trip(const Laboratory& laboratory, std::uint32_t beta, const Load& load) {
  tasklist::Launch launch;
  launch.grid.x = load.ctas * laboratory.gpu().sms;
  launch.block.x = load.threads;
  launch.arguments = {buffer_argument(0, 4096), tasklist::Argument{}};
  const std::string kernel = fmt::format("unit_mix_{}", beta);
  return cycles_per_trip(laboratory,
                         {.kernel = kernel, .launch = launch, .buffers = {4096}, .few = 8, .many = 24});
}

Expected<Findings> find_unit_mixes(const Laboratory& laboratory) {
  const configs::Gpu& gpu = laboratory.gpu();
  const configs::IsaRow* fast = row_of(gpu, "fma.rn.f32");
  const configs::IsaRow* slow = row_of(gpu, "ex2.approx.ftz.f32");
  constexpr std::uint32_t least_capability = 20; // of fma.rn.f32
  if (fast == nullptr || slow == nullptr || configs::compute_capability(gpu) < least_capability)
    return Findings{};
  const std::uint32_t ctas = resident_ctas(gpu, usual_threads);
  const double warps = ctas * (usual_threads / double{tasklist::lanes_per_warp});
  Findings findings;
  for (const std::uint32_t beta : {1U, 2U, 4U, 8U, 16U}) {
    const Expected<double> trip = cycles_per_mix_trip(laboratory, beta, {ctas, usual_threads});
    if (!trip)
      return tl::unexpected(trip.error());
    const Times group[] = {{fast, static_cast<double>(beta)}, {slow, 1}};
    const Described described = describe(group, gpu);
    const double interval = std::max(described.sm_interval, described.latency / warps);
    findings.push_back({"mix", fmt::format("{} fma.rn.f32 to 1 ex2", beta), "fma/cycle",
                        beta * groups_per_trip * warps / *trip, beta / interval, mix_tolerance});
  }
  return findings;
}

} // namespace kerncast::app
