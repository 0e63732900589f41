// Barriers (apps/microbench/barriers): what one costs a warp that waits for nobody else, and how many warps
// an SM lets through.
#include <algorithm>

#include "described.h"
#include "families.h"
#include "measurements.h"
#include "repeated.h"

namespace kerncast::app {
namespace {

constexpr double tolerance_of_rate = 0.05;

} // namespace

Expected<double> cycles_per_barrier(const Laboratory& laboratory, const Load& load) {
  constexpr std::uint32_t more = 40 - 8; // barriers of a trip
  tasklist::Launch launch;
  launch.grid.x = load.ctas * laboratory.gpu().sms;
  launch.block.x = load.threads;
  launch.arguments = {buffer_argument(0, 4096)};
  double trips[2] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    const Expected<double> trip = cycles_per_trip(
        laboratory, {.kernel = i == 0 ? "barriers_8" : "barriers_40", .launch = launch, .buffers = {4096}});
    if (!trip)
      return trip;
    trips[i] = *trip;
  }
  return (trips[1] - trips[0]) / more;
}

Expected<Findings> find_barriers(const Laboratory& laboratory) {
  const configs::Gpu& gpu = laboratory.gpu();
  const configs::IsaRow* row = row_of(gpu, "bar.sync");
  if (row == nullptr)
    return Findings{};
  const Described described = describe(*row, gpu);
  const Expected<double> alone = cycles_per_barrier(laboratory, {1, tasklist::lanes_per_warp});
  // None of them waits for another.
  const std::uint32_t ctas = filling_warps(described, gpu);
  const Expected<double> full = cycles_per_barrier(laboratory, {ctas, tasklist::lanes_per_warp});
  if (!alone || !full)
    return tl::unexpected(alone ? full.error() : alone.error());
  return Findings{{"latency", "bar.sync", "cycles", *alone, described.latency, usual_tolerance},
                  {"issue interval of an SM", "bar.sync", "cycles", *full / ctas,
                   std::max(described.sm_interval, described.latency / ctas), tolerance_of_rate}};
}

} // namespace kerncast::app
