// A copy of doubles with a factor (apps/microbench/streams): what more elements cost once L2 is full.
#include "families.h"

namespace kerncast::app {
namespace {

constexpr std::uint32_t threads = 256;
constexpr double tolerance = 0.03;

Expected<double> copy_cycles(const Laboratory& laboratory, std::uint32_t elements) {
  const std::uint64_t bytes = std::uint64_t{elements} * 8;
  tasklist::Launch launch;
  launch.grid.x = elements / threads;
  launch.block.x = threads;
  launch.arguments = {buffer_argument(0, bytes), buffer_argument(1, bytes), argument(elements)};
  const auto prediction = laboratory.run({{"scale", launch}}, {});
  if (!prediction)
    return tl::unexpected(prediction.error());
  return prediction->cycles;
}

} // namespace

Expected<Findings> find_bandwidths(const Laboratory& laboratory) {
  const configs::Gpu& gpu = laboratory.gpu();
  // Each of the two arrays is as large as L2, and at least 32 MiB.
  constexpr std::uint64_t least = 4U << 20;
  const auto elements = static_cast<std::uint32_t>(std::max(least, gpu.l2.bytes / 8) / threads * threads);
  const Expected<double> once = copy_cycles(laboratory, elements);
  const Expected<double> twice = copy_cycles(laboratory, 2 * elements);
  if (!once || !twice)
    return tl::unexpected(once ? twice.error() : once.error());
  const double bytes = 16.0 * elements; // read and written
  const double found = bytes / gpu.cycles_to_us(*twice - *once) / 1e3;
  return Findings{{"bandwidth", "dram, copy", "GB/s", found,
                   gpu.dram.bandwidth_gbps * gpu.dram.sustained_fraction / (1 + gpu.dram.mixed_loss),
                   tolerance}};
}

} // namespace kerncast::app
