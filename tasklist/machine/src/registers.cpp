// Predicates have registers of their own (seven a thread) and do not count. Left out: values that ptxas
// recomputes, loads that it moves across blocks, loops that it unrolls with stores in them.
#include "registers.h"

#include <algorithm>

#include <fmt/format.h>

#include "allocation.h"
#include "tasklist/behaviour.h"
#include "tasklist/operation.h"

namespace kerncast::machine {
namespace {

using tasklist::lanes_per_warp;

// Reported beyond the highest register in use (ptxas 13.0: an empty kernel, which has R1, reports 4).
constexpr std::uint32_t beyond_highest = 2;

// Registers that a compiler short of them frees: one integer operation computes them and can do so again, or
// they are loaded and read in one block, where the load can come later.
std::vector<bool> freed_registers(const tasklist::Tasklist& list, const Draft& draft,
                                  const LiveRanges& ranges) {
  std::vector<bool> is_freed(draft.register_count(), false), is_written(draft.register_count(), false);
  std::vector<std::uint8_t> is_integer; // by operation
  for (const std::string& operation : list.operations)
    is_integer.push_back(tasklist::compute_class(operation) == tasklist::ComputeClass::ialu ? 1 : 0);
  for (const MachineBlock& block : draft.blocks) {
    const std::uint32_t end = read_position(block.first_op + block.op_count);
    for (const DraftOp& op : draft.ops_of(block)) {
      const bool computes_integer =
          op.op.kind == OpKind::compute && is_integer[list.tasks[op.op.task].operation] != 0;
      for (const VirtualRegister r : draft.writes(op)) {
        const auto range = ranges.of(r);
        const bool is_loaded_here =
            op.op.task_kind == tasklist::TaskKind::load && range.size() == 1 && range.front().end <= end;
        is_freed[r] = !is_written[r] && (computes_integer || is_loaded_here);
        is_written[r] = true;
      }
    }
  }
  return is_freed;
}

std::uint32_t peak_pressure(const Draft& draft, const LiveRanges& ranges,
                            std::span<const std::uint8_t> widths, std::int32_t target) {
  std::vector<std::int32_t> change(2 * draft.ops.size() + 1, 0);
  for (VirtualRegister r = 0; r < draft.register_count(); ++r)
    for (const Segment& s : ranges.of(r)) {
      change[s.begin] += widths[r];
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

// What is left where values outnumber the registers of full occupancy, the target. Where values that cannot
// be freed exceed it, it is given up: loads come early as long as that costs little. Else ptxas finds an
// order that comes close to the target; code that is known to have taken all that a thread may have is code
// where it did not (kernels of Rodinia, PolyBench and KTT, ptxas 13.0).
std::uint32_t after_saving(std::uint32_t pressure, const TextPressure& text, std::uint32_t target,
                           bool has_failed) {
  const auto quarter = [](std::uint32_t excess) { return (excess + 2) / 4; };
  if (pressure <= target)
    return pressure;
  if (text.kept > target)
    return text.kept + quarter(std::max(pressure, text.kept) - text.kept);
  const std::uint32_t excess = quarter(std::max(std::min(text.all, pressure), target) - target);
  return target + (has_failed ? excess : std::min(excess, target / 8));
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

TextPressure text_pressure(const tasklist::Tasklist& list, const Draft& draft, const LiveRanges& ranges,
                           std::span<const std::uint8_t> widths) {
  constexpr std::int32_t no_target = 0; // loads of later trips are no part of the text
  std::vector<std::uint8_t> kept(widths.begin(), widths.end());
  const std::vector<bool> is_freed = freed_registers(list, draft, ranges);
  for (VirtualRegister r = 0; r < draft.register_count(); ++r)
    if (is_freed[r])
      kept[r] = 0;
  return {peak_pressure(draft, ranges, widths, no_target), peak_pressure(draft, ranges, kept, no_target)};
}

RegisterEstimate estimate_registers(const tasklist::Tasklist& list, const configs::Gpu& gpu,
                                    const Draft& draft, const LiveRanges& ranges,
                                    std::span<const std::uint8_t> widths, const TextPressure& text,
                                    std::uint32_t stated) {
  const std::int32_t target = register_target(gpu);
  const auto full_occupancy = static_cast<std::uint32_t>(target);
  const Limit limit = register_limit(list, gpu.limits);
  const bool has_failed = stated != 0 && stated >= limit.registers;
  const std::uint32_t pressure = peak_pressure(draft, ranges, widths, target);
  const std::uint32_t needed = after_saving(pressure, text, full_occupancy, has_failed) + reserved_registers;
  const std::uint32_t spread = allocate_registers(draft, ranges, widths, full_occupancy) + beyond_highest;
  const std::uint32_t taken = std::max(needed, std::min(spread, full_occupancy + reserved_registers));
  if (limit.registers == 0)
    return {needed, taken, {}, {}};
  if (needed <= limit.registers || (stated != 0 && stated < limit.registers))
    return {std::min(needed, limit.registers), std::min(taken, limit.registers), {}, {}};
  return {needed, limit.registers,
          fmt::format("about {} registers are needed and {} allows {}: spills are left out", needed,
                      limit.source, limit.registers),
          limit.source};
}

} // namespace kerncast::machine
