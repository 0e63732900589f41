// Occupancy rooflines: a dependent chain of add.f32 in each of more and more warps of an SM, as one CTA
// and as CTAs of two warps. Until the unit is full the rate grows with the warps (004, Fig. 3).
#include <algorithm>

#include <fmt/format.h>

#include "described.h"
#include "families.h"
#include "measurements.h"
#include "repeated.h"

namespace kerncast::app {
namespace {

// Those that run after the others begin before the last of these have ended.
constexpr double occupancy_tolerance = 0.05;
constexpr std::string_view ptx = "add.f32";

} // namespace

Expected<Findings> find_occupancies(const Laboratory& laboratory) {
  const configs::Gpu& gpu = laboratory.gpu();
  const configs::IsaRow* row = row_of(gpu, ptx);
  if (row == nullptr)
    return Findings{};
  const Described add = describe(*row, gpu);
  Findings findings;
  const auto measure = [&](const char* what, std::uint32_t ctas, std::uint32_t warps) -> Expected<void> {
    const Expected<double> step =
        cycles_per_step(laboratory, "add_f32", 1, {ctas, warps * tasklist::lanes_per_warp});
    if (!step)
      return tl::unexpected(step.error());
    findings.push_back({"occupancy", fmt::format("{} {}", ctas == 1 ? warps : ctas, what), "warps/cycle",
                        ctas * warps / *step, ctas * warps / chain_cycles(add, gpu, ctas * warps),
                        occupancy_tolerance});
    return {};
  };
  for (std::uint32_t warps = 1; warps * tasklist::lanes_per_warp <= gpu.limits.threads_per_cta; warps *= 2)
    if (const Expected<void> done = measure("warps of a CTA", 1, warps); !done)
      return tl::unexpected(done.error());
  for (std::uint32_t ctas = 2; ctas <= resident_ctas(gpu, 2 * tasklist::lanes_per_warp); ctas *= 2)
    if (const Expected<void> done = measure("CTAs of 2 warps", ctas, 2); !done)
      return tl::unexpected(done.error());
  return findings;
}

} // namespace kerncast::app
