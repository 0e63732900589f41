// Constant memory (apps/microbench/constants): the latency of a load, what several addresses in a warp cost,
// and how many bytes stay in the cache.
#include <algorithm>

#include <fmt/format.h>

#include "described.h"
#include "families.h"
#include "measurements.h"
#include "repeated.h"

namespace kerncast::app {
namespace {

constexpr std::uint32_t steps_per_trip = 8;
constexpr std::uint32_t most_bytes = 60 * 1024; // that walks go through

Expected<double> cycles_per_constant_step(const Laboratory& laboratory, std::uint32_t addresses) {
  // So many that it does not matter in which of them the first visit falls.
  Repeated repeated{.kernel = "chase_constants", .launch = {}, .buffers = {4096}, .few = 64, .many = 1088};
  repeated.launch.block.x = tasklist::lanes_per_warp;
  repeated.launch.arguments = {buffer_argument(0, 4096), argument(addresses - 1)};
  const Expected<double> trip = cycles_per_trip(laboratory, repeated);
  return trip ? *trip / steps_per_trip : trip;
}

// Each address more of a warp is a pass more through the cache.
Expected<Findings> find_latencies(const Laboratory& laboratory) {
  const configs::Gpu& gpu = laboratory.gpu();
  const configs::IsaRow* row = row_of(gpu, "ld.const.u64");
  Findings findings;
  for (const std::uint32_t addresses : {1U, 2U, 8U, 32U}) {
    if (row == nullptr && addresses > 1)
      break;
    const Expected<double> step = cycles_per_constant_step(laboratory, addresses);
    if (!step)
      return tl::unexpected(step.error());
    const double passes = row == nullptr ? 0 : (addresses - 1) * row->machine.front().issue_interval;
    findings.push_back({"latency",
                        addresses == 1 ? "constant" : fmt::format("constant, {} addresses", addresses),
                        "cycles", *step, gpu.constant_latency + passes, usual_tolerance});
  }
  return findings;
}

// Cycles per load of a walk to one place in each of `lines` lines, after the first time.
Expected<double> cycles_per_load(const Laboratory& laboratory, std::uint32_t lines,
                                 std::uint32_t line_bytes) {
  constexpr std::uint32_t enough = 512;
  tasklist::Launch launch;
  launch.arguments = {buffer_argument(0, 4096), argument(lines * line_bytes), argument(line_bytes)};
  const std::uint32_t more = lines * std::max(1U, enough / lines);
  return cycles_per_trip(
      laboratory,
      {.kernel = "walk_constants", .launch = launch, .buffers = {4096}, .few = lines, .many = lines + more});
}

Expected<Findings> find_size(const Laboratory& laboratory) {
  const configs::Gpu& gpu = laboratory.gpu();
  const std::uint32_t line_bytes = gpu.l1.line_bytes;
  Finding size = {"size", "constant", "KiB", {}, static_cast<double>(gpu.constant_bytes) / 1024, 0};
  if (gpu.l1.ways != 0 && gpu.l1.ways < gpu.constant_bytes / line_bytes) {
    size.untold = sets_blur_it; // walks have one direction
    return Findings{size};
  }
  const Expected<ConstantLoads> ends = cycles_per_constant_load(laboratory);
  if (!ends)
    return tl::unexpected(ends.error());
  if (!can_be_told_apart(ends->hit, ends->miss)) {
    size.untold = hit_is_as_slow;
    return Findings{size};
  }
  // Of one line too many all loads miss; those that L2 has cost less than those that it has not.
  const double limit = ends->hit + (ends->miss - ends->hit) / 8;
  std::uint32_t fits = 1, too_many = most_bytes / line_bytes;
  while (too_many - fits > 1) {
    const std::uint32_t lines = fits + (too_many - fits) / 2;
    const Expected<double> load = cycles_per_load(laboratory, lines, line_bytes);
    if (!load)
      return tl::unexpected(load.error());
    (*load > limit ? too_many : fits) = lines;
  }
  size.found = fits * line_bytes / 1024.0;
  return Findings{size};
}

} // namespace

Expected<ConstantLoads> cycles_per_constant_load(const Laboratory& laboratory) {
  const std::uint32_t line_bytes = laboratory.gpu().l1.line_bytes;
  const Expected<double> hit = cycles_per_load(laboratory, 4, line_bytes);
  const Expected<double> miss = cycles_per_load(laboratory, most_bytes / line_bytes, line_bytes);
  if (!hit || !miss)
    return tl::unexpected(hit ? miss.error() : hit.error());
  return ConstantLoads{*hit, *miss};
}

Expected<Findings> find_constants(const Laboratory& laboratory) {
  Expected<Findings> findings = find_latencies(laboratory);
  const std::uint64_t bytes = laboratory.gpu().constant_bytes;
  if (!findings || bytes == 0 || bytes >= most_bytes)
    return findings;
  const Expected<Findings> size = find_size(laboratory);
  if (!size)
    return size;
  findings->insert(findings->end(), size->begin(), size->end());
  return findings;
}

} // namespace kerncast::app
