// Each thread loads where its last load said, its own word over and over (apps/microbench/memory); threads
// that are `stride` words apart share banks.
#include <algorithm>

#include <fmt/format.h>

#include "configs/isa.h"
#include "families.h"

namespace kerncast::app {
namespace {

constexpr double tolerance = 0.02;

Expected<double> cycles_per_load(const Laboratory& laboratory, std::uint32_t stride) {
  double cycles[2] = {};
  constexpr std::uint32_t loads[2] = {64, 192};
  for (std::size_t i = 0; i < 2; ++i) {
    tasklist::Launch launch;
    launch.block.x = tasklist::lanes_per_warp;
    launch.arguments = {buffer_argument(0, 4096), argument(stride), argument(loads[i])};
    const auto prediction = laboratory.run({{"chase_shared", launch}}, {4096});
    if (!prediction)
      return tl::unexpected(prediction.error());
    cycles[i] = prediction->cycles;
  }
  return (cycles[1] - cycles[0]) / (loads[1] - loads[0]);
}

// Lanes of a warp that want words of one bank, `stride` words of 4 bytes apart; powers of two.
double conflicting_lanes(std::uint32_t stride, const configs::SharedMemory& shared) {
  const std::uint32_t words_per_bank = shared.bank_bytes / 4;
  const std::uint32_t banks_apart = std::max(1U, stride / words_per_bank);
  const std::uint32_t banks_used = std::max(1U, shared.banks / banks_apart);
  return std::max(1.0, double{tasklist::lanes_per_warp} / banks_used);
}

} // namespace

Expected<Findings> find_shared_memory(const Laboratory& laboratory) {
  const configs::Gpu& gpu = laboratory.gpu();
  const Expected<double> alone = cycles_per_load(laboratory, 1);
  if (!alone)
    return tl::unexpected(alone.error());
  Findings findings{{"latency", "shared", "cycles", *alone, gpu.shared.latency, tolerance}};
  const configs::IsaRow* row = gpu.isa->find("ld.shared.u32");
  if (row == nullptr || row->machine.empty())
    return findings;
  // Every lane more that wants the same bank is a wavefront more.
  const double wavefront = row->machine.front().issue_interval;
  for (const std::uint32_t stride : {2U, 8U, 32U}) {
    const Expected<double> found = cycles_per_load(laboratory, stride);
    if (!found)
      return tl::unexpected(found.error());
    findings.push_back({"latency", fmt::format("shared, stride {}", stride), "cycles", *found,
                        gpu.shared.latency + (conflicting_lanes(stride, gpu.shared) - 1) * wavefront,
                        tolerance});
  }
  return findings;
}

} // namespace kerncast::app
