// Predicates have registers of their own (seven a thread) and do not count. Left out: values that ptxas
// recomputes, loads that it moves across blocks, loops that it unrolls with stores in them.
#include "registers.h"

#include <algorithm>

#include <fmt/format.h>

#include "allocation.h"

namespace kerncast::machine {
namespace {

constexpr std::uint32_t lanes_per_warp = 32;

// Reported beyond the highest register in use (ptxas 13.0: an empty kernel, which has R1, reports 4).
constexpr std::uint32_t beyond_highest = 2;

std::uint32_t peak_pressure(const Draft& draft, const LiveRanges& ranges,
                            std::span<const std::uint8_t> widths, std::int32_t target) {
  std::vector<std::int32_t> change(2 * draft.ops.size() + 1, 0);
  for (VirtualRegister r = 0; r < draft.register_count(); ++r)
    for (const Segment& s : ranges.of(r)) {
      change[s.begin] += widths[r];
      change[s.end] -= widths[r];
    }
  std::int32_t pressure = 0, peak = 0;
  for (std::size_t position = 0; position < change.size(); ++position) {
    pressure += change[position];
    const std::int32_t scratch = position / 2 < draft.ops.size() ? draft.ops[position / 2].scratch : 0;
    const std::int32_t ahead = position / 2 < draft.ops.size() ? draft.ops[position / 2].loaded_ahead : 0;
    peak = std::max({peak, pressure + scratch, std::min(pressure + ahead, target)});
  }
  return static_cast<std::uint32_t>(peak);
}

// Registers per thread that let `ctas` CTAs of the kernel's largest size be resident.
std::uint32_t residency_limit(std::uint32_t threads, std::uint32_t ctas,
                              const configs::ResidencyLimits& limits) {
  const std::uint64_t warps = std::uint64_t{(threads - 1) / lanes_per_warp + 1} * ctas;
  const std::uint64_t unit = std::max(limits.register_allocation_unit, 1u);
  const std::uint64_t per_warp = limits.registers_per_sm / warps / unit * unit;
  return static_cast<std::uint32_t>(per_warp / lanes_per_warp);
}

struct Limit {
  std::uint32_t registers = 0;
  std::string_view source;
};

Limit register_limit(const tasklist::Tasklist& list, const configs::ResidencyLimits& limits) {
  Limit limit{limits.registers_per_thread, "the GPU"};
  const auto lower = [&](std::uint32_t registers, std::string_view source) {
    if (registers != 0 && registers < limit.registers)
      limit = {registers, source};
  };
  lower(list.max_registers, ".maxnreg");
  if (list.max_threads_per_cta != 0)
    lower(residency_limit(list.max_threads_per_cta, std::max(list.min_ctas_per_sm, 1u), limits),
          list.min_ctas_per_sm != 0 ? ".maxntid and .minnctapersm" : ".maxntid");
  return limit;
}

// What is left where values outnumber the registers of full occupancy: ptxas moves loads to their readers,
// across blocks, and computes again. Some 60 kernels of Rodinia and PolyBench (ptxas 13.0) keep a quarter of
// the excess.
std::uint32_t after_saving(std::uint32_t pressure, std::uint32_t target) {
  constexpr std::uint32_t kept = 4; // one of so many
  return pressure <= target ? pressure : target + (pressure - target + kept / 2) / kept;
}

} // namespace

std::int32_t register_target(const configs::Gpu& gpu) {
  constexpr std::int32_t any_number = INT32_MAX / 2;
  if (gpu.limits.threads_per_sm == 0)
    return any_number;
  const std::uint64_t at_full = gpu.limits.registers_per_sm / gpu.limits.threads_per_sm;
  return static_cast<std::int32_t>(std::min<std::uint64_t>(at_full, gpu.limits.registers_per_thread)) -
         static_cast<std::int32_t>(reserved_registers);
}

RegisterEstimate estimate_registers(const tasklist::Tasklist& list, const configs::Gpu& gpu,
                                    const Draft& draft, const LiveRanges& ranges,
                                    std::span<const std::uint8_t> widths) {
  const std::int32_t target = register_target(gpu);
  const auto full_occupancy = static_cast<std::uint32_t>(target);
  const std::uint32_t needed =
      after_saving(peak_pressure(draft, ranges, widths, target), full_occupancy) + reserved_registers;
  const std::uint32_t spread = allocate_registers(draft, ranges, widths, full_occupancy) + beyond_highest;
  const std::uint32_t taken = std::max(needed, std::min(spread, full_occupancy + reserved_registers));
  const Limit limit = register_limit(list, gpu.limits);
  if (limit.registers == 0 || needed <= limit.registers)
    return {needed, limit.registers == 0 ? taken : std::min(taken, limit.registers), {}, {}};
  return {needed, limit.registers,
          fmt::format("about {} registers are needed and {} allows {}: spills are left out", needed,
                      limit.source, limit.registers),
          limit.source};
}

} // namespace kerncast::machine
