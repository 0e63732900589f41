#include "checks.h"

#include <fmt/format.h>

#include "architectures.h"
#include "configs/l1_size.h"
#include "dram_keys.h"
#include "memory_checks.h"

namespace kerncast::configs {
namespace {

constexpr double excess_tolerance = 1e-3; // intervals are stated in few digits

// The engine keeps a sub-core's warps in one word.
constexpr double most_warps_per_sub_core = 64;

void check_limits(const ResidencyLimits& l, std::uint32_t sub_cores, Checker& check) {
  check.at_most("limits.warps_per_sm", l.warps_per_sm, "sub_cores_per_sm",
                most_warps_per_sub_core * sub_cores);
  check.at_most("limits.threads_per_sm", l.threads_per_sm, "limits.warps_per_sm",
                static_cast<double>(l.warps_per_sm) * lanes_per_warp);
  check.at_most("limits.threads_per_cta", l.threads_per_cta, "limits.threads_per_sm", l.threads_per_sm);
  check.at_most("limits.ctas_per_sm", l.ctas_per_sm, "limits.warps_per_sm", l.warps_per_sm);
  check.at_most("limits.registers_per_cta", l.registers_per_cta, "limits.registers_per_sm",
                l.registers_per_sm);
  check.at_most("limits.registers_per_thread", l.registers_per_thread, "limits.registers_per_cta",
                static_cast<double>(l.registers_per_cta) / lanes_per_warp);
  check.at_most("limits.shared_bytes_per_cta",
                static_cast<double>(l.shared_bytes_per_cta) + l.shared_reserved_bytes_per_cta,
                "limits.shared_bytes_per_sm", l.shared_bytes_per_sm);
}

void check_carve_outs(const ResidencyLimits& limits, Checker& check) {
  const std::string key = "limits.shared_carve_outs_kib";
  const auto sizes = shared_carve_outs(limits);
  check.require(sizes.has_value(), {key},
                fmt::format("{} is '{}', not a list of ascending sizes as '0 8 16'", key,
                            limits.shared_carve_outs_kib));
  if (sizes && !sizes->empty())
    check.require(sizes->back() == limits.shared_bytes_per_sm, {key, "limits.shared_bytes_per_sm"},
                  fmt::format("the largest of {} is not limits.shared_bytes_per_sm", key));
}

// A real architecture has its own compute capabilities, and shared memory and L1 of one size together.
void check_architecture(const Gpu& gpu, Checker& check) {
  const Capability* real = capability(gpu.compute_capability_major, gpu.compute_capability_minor);
  if (real == nullptr || !is_real(gpu.architecture))
    return;
  check.require_of_files(family_of(gpu.architecture) == real->architecture,
                         {"architecture", "compute_capability.major", "compute_capability.minor"}, {},
                         fmt::format("architecture is {}, but compute capability {}.{} is of {}",
                                     gpu.architecture, real->major, real->minor, real->architecture));
  const double kib = (static_cast<double>(gpu.l1.bytes) + gpu.limits.shared_bytes_per_sm) / bytes_per_kib;
  check.require_of_files(
      real->combined_kib == 0 || kib <= real->combined_kib, {"l1.kib", "limits.shared_bytes_per_sm"},
      {"compute_capability.major", "compute_capability.minor"},
      fmt::format("l1.kib beside limits.shared_bytes_per_sm are {} KiB, but an SM of compute capability "
                  "{}.{} has {} KiB for both",
                  kib, real->major, real->minor, real->combined_kib));
}

void check_clocks(const Gpu& gpu, Checker& check) {
  if (gpu.boost_clock_mhz > 0)
    check.at_most("base_clock_mhz", gpu.base_clock_mhz, "boost_clock_mhz", gpu.boost_clock_mhz);
}

// "32 / lanes" is the source of no longer interval, and no source speaks of lanes that a nearer file states.
bool is_sourced(const Entry& interval, const Entry* lanes) {
  const bool is_set = interval.origin.source == nullptr;
  const bool is_older = lanes != nullptr && lanes->layer > interval.layer;
  return is_set ||
         (!is_older && !interval.basis.source.empty() && !interval.basis.source.starts_with("32 / lanes"));
}

void check_excess(const Unit& unit, Checker& check) {
  const std::string key = fmt::format("units.{}.issue_interval", unit.name);
  const std::string lanes_key = fmt::format("units.{}.lanes", unit.name);
  const Entry* interval = check.statements().find(key);
  const double shortest = double{lanes_per_warp} / unit.lanes;
  if (interval == nullptr || unit.issue_interval <= shortest * (1 + excess_tolerance))
    return;
  check.require(
      is_sourced(*interval, check.statements().find(lanes_key)), {key, lanes_key},
      fmt::format("{} is {}, but {} lanes need only {} cycles for a warp, and the longer interval has "
                  "no source: say in a comment on its line where it is from",
                  key, unit.issue_interval, unit.lanes, shortest));
}

// What a unit's pipelines take in a cycle, the schedulers of its SM or sub-core must be able to issue.
void check_issue(const Unit& unit, const Gpu& gpu, Checker& check) {
  const double schedulers = unit.scope == UnitScope::sub_core ? 1 : gpu.sub_cores_per_sm;
  const double slots = schedulers * gpu.issue_width * (gpu.dual_issue ? 2 : 1) / gpu.issue_interval;
  const double taken = unit.count / unit.issue_interval;
  const std::string prefix = fmt::format("units.{}.", unit.name);
  check.require_of_files(
      taken <= slots * (1 + tolerance), {prefix + "issue_interval", prefix + "count", "issue_width"},
      {prefix + "lanes", "dual_issue", "issue_interval", "sub_cores_per_sm"},
      fmt::format(
          "{}issue_interval {} and {}count {} take {} warp instructions a cycle, but schedulers issue "
          "only {} (issue_width, issue_interval)",
          prefix, unit.issue_interval, prefix, unit.count, taken, slots));
}

void check_unit(const Unit& unit, const Gpu& gpu, Checker& check) {
  check_issue(unit, gpu, check);
  if (unit.cross_latency != 0)
    check.at_most(fmt::format("units.{}.latency", unit.name), unit.latency,
                  fmt::format("units.{}.cross_latency", unit.name), unit.cross_latency);
  if (unit.lanes == 0)
    return;
  const double shortest = double{lanes_per_warp} / unit.lanes;
  const std::string key = fmt::format("units.{}.issue_interval", unit.name);
  check.require(unit.issue_interval >= shortest * (1 - tolerance),
                {key, fmt::format("units.{}.lanes", unit.name)},
                fmt::format("{} is {}, but {} lanes need {} cycles for a warp", key, unit.issue_interval,
                            unit.lanes, shortest));
  check_excess(unit, check);
}

} // namespace

void check_gpu(Gpu& gpu, const Statements& statements, Diagnostics& errors) {
  Checker check(gpu, statements, errors);
  check_limits(gpu.limits, gpu.sub_cores_per_sm, check);
  check_carve_outs(gpu.limits, check);
  check_architecture(gpu, check);
  check_clocks(gpu, check);
  check_memory(gpu, check);
  for (const Unit& unit : gpu.units)
    check_unit(unit, gpu, check);
}

} // namespace kerncast::configs
