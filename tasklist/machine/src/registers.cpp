// Predicates have registers of their own (seven a thread) and do not count. Left out: values that ptxas
// recomputes where registers are not short, loads that it moves across blocks.
#include "registers.h"

#include <algorithm>

#include <fmt/format.h>

#include "allocation.h"
#include "configs/compute_capability.h"
#include "freed_registers.h"
#include "tasklist/behaviour.h"

namespace kerncast::machine {
namespace {

using tasklist::lanes_per_warp;

// Reported beyond the highest register in use (ptxas 13.0: an empty kernel, which has R1, reports 4).
constexpr std::uint32_t beyond_highest = 2;

// Where registers are short, ptxas 13.0 puts a block of at most so many operations in an order that needs
// fewer (a convolution whose text keeps hundreds of loaded values alive takes 32 on sm_80 with blocks of up
// to 4,080 operations, 48 to 255 with blocks from 4,274 on).
constexpr std::uint32_t longest_ordered_block = 4096;
// For sm_86 to sm_89 it gives up sooner: between 2,829 and 2,949 operations it ordered two blocks of three.
constexpr std::uint32_t longest_ordered_block_of_86 = 2950;

// From this compute capability on it leaves the text's order as it is, but for loads (the same convolution:
// 40 to 255 registers, and spills as many values as are left).
constexpr std::uint32_t first_that_keeps_order = 90;

// `begins`: by register, where its value comes, if later than it does.
std::uint32_t peak_pressure(const Draft& draft, const LiveRanges& ranges,
                            std::span<const std::uint8_t> widths, std::int32_t target,
                            std::span<const std::uint32_t> begins = {}) {
  std::vector<std::int32_t> change(2 * draft.ops.size() + 1, 0);
  for (VirtualRegister r = 0; r < draft.register_count(); ++r)
    for (const Segment& s : ranges.of(r)) {
      const std::uint32_t begin = begins.empty() ? s.begin : std::clamp(begins[r], s.begin, s.end);
      change[begin] += widths[r];
      change[s.end] -= widths[r];
    }
  std::int32_t pressure = 0, peak = 0;
  for (std::uint32_t i = 0; i < draft.ops.size(); ++i) {
    const std::int32_t at_reads = pressure + change[read_position(i)];
    pressure = at_reads + change[write_position(i)];
    const std::int32_t most = std::max(at_reads, pressure);
    peak = std::max({peak, most + draft.ops[i].scratch, std::min(most + draft.ops[i].loaded_ahead, target)});
  }
  return static_cast<std::uint32_t>(peak);
}

// Registers of a thread where so many warps are resident.
std::uint32_t registers_of_warps(std::uint32_t warps, const configs::ResidencyLimits& limits) {
  const std::uint64_t unit = std::max(limits.register_allocation_unit, 1U);
  const std::uint64_t per_warp = limits.registers_per_sm / warps / unit * unit;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(per_warp / lanes_per_warp, limits.registers_per_thread));
}

std::uint32_t warps_of(std::uint32_t threads) {
  return threads / lanes_per_warp + (threads % lanes_per_warp != 0 ? 1 : 0);
}

// Registers per thread that let `ctas` CTAs of the kernel's largest size be resident.
std::uint32_t residency_limit(std::uint32_t threads, std::uint32_t ctas,
                              const configs::ResidencyLimits& limits) {
  return registers_of_warps(warps_of(threads) * ctas, limits);
}

// Whether an SM holds so many CTAs of so many threads; directives that ask for more are ignored (ptxas 13.0).
// A limit of 0 is not known.
bool fit(std::uint32_t threads, std::uint32_t ctas, const configs::ResidencyLimits& limits) {
  const std::uint64_t warps = warps_of(threads);
  return warps != 0 && ctas != 0 && (limits.ctas_per_sm == 0 || ctas <= limits.ctas_per_sm) &&
         (limits.threads_per_sm == 0 || warps * ctas <= limits.threads_per_sm / lanes_per_warp);
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
  if (fit(list.max_threads_per_cta, list.min_ctas_per_sm, limits))
    lower(residency_limit(list.max_threads_per_cta, list.min_ctas_per_sm, limits),
          ".maxntid and .minnctapersm");
  else if (fit(list.max_threads_per_cta, 1, limits))
    lower(residency_limit(list.max_threads_per_cta, 1, limits), ".maxntid");
  return limit;
}

// Warps that raise their number (setmaxnreg.inc) may have as many as a thread can, whatever they begin with.
bool raises_registers(const tasklist::Tasklist& list) {
  return std::ranges::any_of(
      list.operations, [](const std::string& operation) { return operation.starts_with("setmaxnreg.inc"); });
}

// What the compiler does where values outnumber the registers of full occupancy, the target (ptxas 13.0:
// kernels of Rodinia and Parboil, KTT's convolution; docs/lowering.md).
enum class Saving : std::uint8_t {
  none,    // the text's order stays but for loads that wait for their first readers, unless little is beyond
           // the target
  some,    // of what is beyond the target and can be freed a quarter is left
  to_meet, // an order within the registers of the highest occupancy that leaves those that cannot be freed
};

// Code that is known to have taken all that a thread may have is code where the target was not met.
Saving saving_of(const Draft& draft, const configs::Gpu& gpu, bool has_failed) {
  const std::uint32_t capability = configs::compute_capability(gpu);
  const std::uint32_t longest = capability < 86 ? longest_ordered_block : longest_ordered_block_of_86;
  const auto is_long = [longest](const MachineBlock& block) { return block.op_count > longest; };
  if (has_failed)
    return Saving::some;
  if (capability >= first_that_keeps_order)
    return Saving::none;
  return std::ranges::any_of(draft.blocks, is_long) ? Saving::some : Saving::to_meet;
}

std::uint32_t after_saving(std::uint32_t pressure, const TextPressure& text, const configs::Gpu& gpu,
                           Saving saving) {
  const auto target = static_cast<std::uint32_t>(register_target(gpu));
  if (pressure <= target || text.all <= target)
    return std::min(pressure, target);
  const auto taken_beside = [&](std::uint32_t values) {
    return std::min(pressure, registers_of_occupancy(values, gpu));
  };
  switch (saving) {
  case Saving::none:
    return text.late > target + target / 5 ? std::max(text.late, taken_beside(text.late)) : target;
  case Saving::some: {
    const std::uint32_t least = std::max(text.kept, target);
    return least + (text.all - least + 2) / 4;
  }
  case Saving::to_meet:
    return text.kept > target ? taken_beside(text.kept) : target;
  }
  return text.all;
}

} // namespace

std::int32_t register_target(const configs::Gpu& gpu) {
  constexpr std::int32_t any_number = INT32_MAX / 2;
  if (gpu.limits.threads_per_sm == 0)
    return any_number;
  return static_cast<std::int32_t>(
             registers_of_warps(gpu.limits.threads_per_sm / lanes_per_warp, gpu.limits)) -
         static_cast<std::int32_t>(reserved_registers);
}

std::uint32_t registers_of_occupancy(std::uint32_t values, const configs::Gpu& gpu) {
  const std::uint32_t step = std::max(gpu.limits.warp_allocation_granularity, 1U);
  std::uint32_t granted = 0;
  for (std::uint32_t warps = gpu.limits.threads_per_sm / lanes_per_warp; warps >= step; warps -= step) {
    granted = registers_of_warps(warps, gpu.limits);
    if (granted >= values + reserved_registers)
      break;
  }
  return std::max(granted, values + reserved_registers) - reserved_registers;
}

TextPressure text_pressure(const tasklist::Tasklist& list, const configs::Gpu& gpu, const Draft& draft,
                           const LiveRanges& ranges, std::span<const std::uint8_t> widths) {
  constexpr std::int32_t no_target = 0; // loads of later trips are no part of the text
  const std::uint32_t all = peak_pressure(draft, ranges, widths, no_target);
  if (all <= static_cast<std::uint32_t>(register_target(gpu)))
    return {all, all, all};
  std::vector<std::uint8_t> kept(widths.begin(), widths.end());
  const FreedRegisters freed = freed_registers(list, draft, ranges);
  for (VirtualRegister r = 0; r < draft.register_count(); ++r)
    if (freed.is_freed[r])
      kept[r] = 0;
  return {all, peak_pressure(draft, ranges, widths, no_target, freed.load_by),
          peak_pressure(draft, ranges, kept, no_target, freed.load_by)};
}

RegisterEstimate estimate_registers(const tasklist::Tasklist& list, const configs::Gpu& gpu,
                                    const Draft& draft, const LiveRanges& ranges, const ValueWidths& widths,
                                    const TextPressure& text, std::uint32_t stated) {
  const std::int32_t target = register_target(gpu);
  const auto full_occupancy = static_cast<std::uint32_t>(target);
  const Limit limit = register_limit(list, gpu.limits);
  const bool has_failed = stated != 0 && stated >= limit.registers;
  const std::uint32_t pressure = peak_pressure(draft, ranges, widths.least, target);
  const std::uint32_t needed =
      after_saving(pressure, text, gpu, saving_of(draft, gpu, has_failed)) + reserved_registers;
  const std::uint32_t free_of_cost = full_occupancy + reserved_registers;
  std::uint32_t taken = needed;
  if (needed < free_of_cost)
    taken = std::clamp(allocate_registers(draft, ranges, widths.ample, full_occupancy) + beyond_highest,
                       needed, free_of_cost);
  if (limit.registers == 0)
    return {needed, taken, {}, {}};
  const bool has_enough = stated != 0 && stated < limit.registers;
  const bool raises = raises_registers(list) && needed <= gpu.limits.registers_per_thread;
  if (needed <= limit.registers || has_enough || raises)
    return {std::min(needed, limit.registers), std::min(taken, limit.registers), {}, {}};
  return {needed, limit.registers,
          fmt::format("about {} registers are needed and {} allows {}: spills are left out", needed,
                      limit.source, limit.registers),
          limit.source};
}

} // namespace kerncast::machine
