// How many CTAs of a kernel an SM holds at once, and what limits them (CUDA occupancy calculator's rules).
#pragma once

#include <cstdint>
#include <string>

#include "configs/gpu.h"
#include "support/diagnostics.h"

namespace kerncast::configs {

struct CtaResources {
  std::uint32_t threads_per_cta = 0;
  std::uint32_t registers_per_thread = 0;
  std::uint32_t shared_bytes_per_cta = 0; // static and dynamic
  std::uint64_t grid_ctas = 0;            // 0: unlimited; else at most ceil(grid / SMs) CTAs reach an SM
};

// Of several that allow equally few CTAs the first of this order is named; the grid only if it alone limits.
enum class Limiter : std::uint8_t { registers, shared_memory, warps, threads, ctas, grid };
std::string_view name(Limiter limiter);

struct Occupancy {
  std::uint32_t ctas_per_sm = 0;
  std::uint32_t warps_per_sm = 0;
  double fraction = 0; // warps_per_sm / the SM's limit
  Limiter limiter = Limiter::ctas;
};

// Fails when not even one CTA fits, naming every resource that is short, the need and how much there is.
Expected<Occupancy> occupancy(const CtaResources& cta, const Gpu& gpu);

// The most registers per thread, up to those of `cta`, with which they do not keep a CTA from fitting; those
// of `cta` where no number does.
std::uint32_t fitting_registers(const CtaResources& cta, const Gpu& gpu);
// What to say of an estimate of which a CTA has less; empty if it has as many.
std::string beyond_fitting(std::uint32_t estimated, const CtaResources& cta);

} // namespace kerncast::configs
