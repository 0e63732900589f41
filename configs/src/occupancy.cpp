// The rules of the CUDA occupancy calculator for one kernel alone on an SM with the largest shared-memory
// carve-out. Left out: partitioned global caching of cc 3.7 to 5.2, limits of named barriers and clusters.
#include "configs/occupancy.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "configs/sm_room.h"
#include "dram_keys.h"
#include "round_up.h"

namespace kerncast::configs {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint32_t>::max();

constexpr std::array<std::string_view, 6> limiter_names = {"registers", "shared_memory", "warps",
                                                           "threads",   "ctas",          "grid"};

// What one CTA takes of an SM, allocation granularities included.
struct Allocation {
  std::uint64_t warps = 0;
  std::uint64_t registers_per_warp = 0;
  std::uint64_t registers_checked = 0; // the launch check counts whole rounds over the partitions
  std::uint64_t shared_bytes = 0;
};

std::uint64_t checked_partitions(const ResidencyLimits& l) {
  return l.warp_check_granularity != 0 ? l.warp_check_granularity : l.warp_allocation_granularity;
}

Allocation allocate(const CtaResources& cta, const ResidencyLimits& limits) {
  Allocation a;
  a.warps = divide_up(cta.threads_per_cta, lanes_per_warp);
  a.registers_per_warp = round_up(lanes_per_warp * cta.registers_per_thread, limits.register_allocation_unit);
  a.registers_checked = a.registers_per_warp * round_up(a.warps, checked_partitions(limits));
  if (limits.register_allocation == RegisterAllocation::per_cta)
    a.registers_checked = round_up(lanes_per_warp * cta.registers_per_thread *
                                       round_up(a.warps, limits.warp_allocation_granularity),
                                   limits.register_allocation_unit);
  a.shared_bytes = round_up(std::uint64_t{cta.shared_bytes_per_cta} + limits.shared_reserved_bytes_per_cta,
                            limits.shared_allocation_unit);
  return a;
}

class Fitting {
public:
  explicit Fitting(const Gpu& gpu) : gpu_(gpu) {}

  void require(std::uint64_t need, std::uint64_t limit, std::string_view what, std::string_view key,
               std::string_view next_step) {
    if (need <= limit)
      return;
    Diagnostic d;
    d.message = fmt::format("no CTA fits on '{}': it needs {} {}, the limit is {} ({})", gpu_.name, need,
                            what, limit, key);
    d.notes.emplace_back(next_step);
    errors.push_back(std::move(d));
  }

  Diagnostics errors;

private:
  const Gpu& gpu_;
};

Diagnostics shortages(const CtaResources& cta, const Allocation& a, const Gpu& gpu) {
  const ResidencyLimits& l = gpu.limits;
  Fitting fit(gpu);
  fit.require(cta.threads_per_cta, l.threads_per_cta, "threads", "limits.threads_per_cta",
              "launch smaller blocks");
  fit.require(a.warps, l.warps_per_sm, "warps", "limits.warps_per_sm", "launch smaller blocks");
  fit.require(cta.registers_per_thread, l.registers_per_thread, "registers per thread",
              "limits.registers_per_thread", "compile with fewer registers (--maxrregcount)");
  fit.require(a.registers_checked, l.registers_per_cta, "registers", "limits.registers_per_cta",
              "launch smaller blocks, or compile with fewer registers (--maxrregcount)");
  fit.require(a.shared_bytes, std::uint64_t{l.shared_bytes_per_cta} + l.shared_reserved_bytes_per_cta,
              "bytes of shared memory, allocation granularity included", "limits.shared_bytes_per_cta",
              "use less shared memory");
  return std::move(fit.errors);
}

std::uint64_t ctas_on_partitions(const Allocation& a, const ResidencyLimits& l, std::uint64_t partitions) {
  return l.registers_per_sm / partitions / a.registers_per_warp * partitions / a.warps;
}

// GP100 refuses what does not fit on the partitions of its family (warp_check_granularity).
std::uint64_t ctas_by_registers(const Allocation& a, const ResidencyLimits& l) {
  if (a.registers_per_warp == 0)
    return unlimited;
  if (l.register_allocation == RegisterAllocation::per_cta)
    return l.registers_per_sm / a.registers_checked;
  if (ctas_on_partitions(a, l, checked_partitions(l)) == 0)
    return 0;
  return ctas_on_partitions(a, l, l.warp_allocation_granularity);
}

// CTAs that each limiter allows, in the order of Limiter.
std::array<std::uint64_t, 6> ctas_by_limiter(const CtaResources& cta, const Allocation& a, const Gpu& gpu) {
  const ResidencyLimits& l = gpu.limits;
  return {ctas_by_registers(a, l),
          a.shared_bytes == 0 ? unlimited : l.shared_bytes_per_sm / a.shared_bytes,
          l.warps_per_sm / a.warps,
          l.threads_per_sm / (a.warps * lanes_per_warp),
          l.ctas_per_sm,
          cta.grid_ctas == 0 ? unlimited : divide_up(cta.grid_ctas, gpu.sms)};
}

// Each resource of one CTA is within its limit, yet together its warps do not fit on an SM's partitions.
tl::unexpected<Diagnostics> no_room(Limiter limiter, const Allocation& a, const Gpu& gpu) {
  return fail(fmt::format("no CTA fits on '{}': the {} warps of one exceed the SM's {}", gpu.name, a.warps,
                          name(limiter)),
              "launch smaller blocks, or use fewer registers or less shared memory");
}

} // namespace

CtaDemand demand_of(const CtaResources& cta, const Gpu& gpu) {
  const Allocation a = allocate(cta, gpu.limits);
  const bool of_cta = gpu.limits.register_allocation == RegisterAllocation::per_cta;
  return {static_cast<std::uint32_t>(a.warps), of_cta ? 0 : static_cast<std::uint32_t>(a.registers_per_warp),
          of_cta ? static_cast<std::uint32_t>(a.registers_checked) : 0,
          static_cast<std::uint32_t>(a.shared_bytes)};
}

std::uint32_t fitting_registers(const CtaResources& cta, const Gpu& gpu) {
  const auto fits = [&](std::uint32_t registers) {
    CtaResources fewer = cta;
    fewer.registers_per_thread = registers;
    const Allocation a = allocate(fewer, gpu.limits);
    return a.registers_checked <= gpu.limits.registers_per_cta && ctas_by_registers(a, gpu.limits) > 0;
  };
  std::uint32_t registers = cta.registers_per_thread;
  while (registers > 0 && !fits(registers))
    --registers;
  return registers > 0 ? registers : cta.registers_per_thread;
}

std::string beyond_fitting(std::uint32_t estimated, const CtaResources& cta) {
  return estimated == cta.registers_per_thread ? ""
                                               : fmt::format(": {} would leave no room for a CTA", estimated);
}

std::string_view name(Limiter limiter) { return limiter_names[static_cast<std::size_t>(limiter)]; }

Expected<Occupancy> occupancy(const CtaResources& cta, const Gpu& gpu) {
  if (cta.threads_per_cta == 0)
    return fail("a CTA has no threads", "every dimension of the block must be at least 1");
  const Allocation allocation = allocate(cta, gpu.limits);
  if (Diagnostics errors = shortages(cta, allocation, gpu); !errors.empty())
    return tl::unexpected(std::move(errors));
  const auto ctas = ctas_by_limiter(cta, allocation, gpu);
  const auto least = std::min_element(ctas.begin(), ctas.end());
  const auto limiter = static_cast<Limiter>(least - ctas.begin());
  if (*least == 0)
    return no_room(limiter, allocation, gpu);
  const std::uint64_t warps = *least * allocation.warps;
  return Occupancy{static_cast<std::uint32_t>(*least), static_cast<std::uint32_t>(warps),
                   static_cast<double>(warps) / gpu.limits.warps_per_sm, limiter};
}

} // namespace kerncast::configs
