// Each thread loads where its last load said, its own word over and over (apps/microbench/memory); threads
// that are `stride` words apart share banks.
#include <algorithm>

#include <fmt/format.h>

#include "described.h"
#include "families.h"
#include "measurements.h"

namespace kerncast::app {

Expected<double> cycles_per_shared_load(const Laboratory& laboratory, std::uint32_t stride,
                                        const Load& load) {
  double cycles[2] = {};
  constexpr std::uint32_t loads[2] = {64, 192};
  for (std::size_t i = 0; i < 2; ++i) {
    tasklist::Launch launch;
    launch.grid.x = load.ctas * laboratory.gpu().sms;
    launch.block.x = load.threads;
    launch.arguments = {buffer_argument(0, 4096), argument(stride), argument(loads[i])};
    const auto prediction = laboratory.run({{"chase_shared", launch}}, {4096});
    if (!prediction)
      return tl::unexpected(prediction.error());
    cycles[i] = prediction->cycles;
  }
  return (cycles[1] - cycles[0]) / (loads[1] - loads[0]);
}

Expected<Findings> find_shared_memory(const Laboratory& laboratory) {
  const configs::Gpu& gpu = laboratory.gpu();
  const configs::IsaRow* row = row_of(gpu, "ld.shared.u32");
  if (row == nullptr)
    return Findings{};
  Findings findings;
  for (const std::uint32_t stride : {1U, 2U, 8U, 32U}) {
    const Expected<double> found = cycles_per_shared_load(laboratory, stride, {});
    if (!found)
      return tl::unexpected(found.error());
    findings.push_back({"latency", stride == 1 ? "shared" : fmt::format("shared, stride {}", stride),
                        "cycles", *found, described_shared_latency(gpu, *row, stride), usual_tolerance});
  }
  return findings;
}

} // namespace kerncast::app
