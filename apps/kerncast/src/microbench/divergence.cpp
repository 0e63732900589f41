// Four branches of equal work (apps/microbench/divergence): a warp issues as many of them as its lanes take.
// Relative to warps that take one, performance is warps / sum of their branches (004, Fig. 5), on the
// sub-core that has most of them.
#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "described.h"
#include "families.h"
#include "repeated.h"

namespace kerncast::app {
namespace {

constexpr std::uint32_t divergent_threads = 384; // four branches of 96 threads
constexpr double divergence_tolerance = 0.03;
// Where the sub-cores share their units, one that has more to do gets more of them; where the chains do not
// fill a unit, the last warps leave it idle.
constexpr double wide_tolerance = 0.1;
constexpr double divergent_chains = 8;

std::size_t branches(std::uint32_t warp, std::uint32_t together) {
  std::set<std::uint32_t> taken;
  for (std::uint32_t lane = 0; lane < tasklist::lanes_per_warp; ++lane)
    taken.insert((warp * tasklist::lanes_per_warp + lane) / together % 4);
  return taken.size();
}

// Warps lie on the sub-cores in turn; the one whose warps take most branches is done last.
double relative_rate(std::uint32_t together, std::uint32_t sub_cores) {
  std::vector<double> sums(sub_cores, 0);
  constexpr std::uint32_t warps = divergent_threads / tasklist::lanes_per_warp;
  for (std::uint32_t warp = 0; warp < warps; ++warp)
    sums[warp % sub_cores] += static_cast<double>(branches(warp, together));
  return std::ceil(double{warps} / sub_cores) / *std::ranges::max_element(sums);
}

Expected<double> cycles(const Laboratory& laboratory, std::uint32_t together) {
  const std::uint32_t ctas = resident_ctas(laboratory.gpu(), divergent_threads) * laboratory.gpu().sms;
  const std::uint64_t bytes = std::uint64_t{4} * ctas * divergent_threads;
  tasklist::Launch launch;
  launch.grid.x = ctas;
  launch.block.x = divergent_threads;
  launch.arguments = {buffer_argument(0, bytes), tasklist::Argument{}, argument(together)};
  return cycles_per_trip(laboratory,
                         {.kernel = "diverge", .launch = launch, .buffers = {bytes}, .few = 4, .many = 12});
}

} // namespace

Expected<Findings> find_divergence(const Laboratory& laboratory) {
  const Expected<double> together = cycles(laboratory, tasklist::lanes_per_warp);
  if (!together)
    return tl::unexpected(together.error());
  const configs::Gpu& gpu = laboratory.gpu();
  const configs::IsaRow* row = row_of(gpu, "fma.rn.f32");
  if (row == nullptr)
    return Findings{};
  const Described step = describe(*row, gpu);
  const bool shares = gpu.units[row->machine.front().unit].scope == configs::UnitScope::sm;
  const bool fills = divergent_chains * step.sm_interval * gpu.sub_cores_per_sm >= step.latency;
  const double allowed = shares || !fills ? wide_tolerance : divergence_tolerance;
  Findings findings;
  for (const std::uint32_t items : {1U, 2U, 4U, 8U, 12U, 16U, 20U, 24U, 28U, 32U, 40U, 48U, 64U, 80U, 96U}) {
    const Expected<double> found = cycles(laboratory, items);
    if (!found)
      return tl::unexpected(found.error());
    findings.push_back({"divergence", fmt::format("{} threads together", items), "of the rate",
                        *together / *found, relative_rate(items, gpu.sub_cores_per_sm), allowed});
  }
  return findings;
}

} // namespace kerncast::app
