// Grids and CTAs that a GPU can launch.
#include "check_geometry.h"

#include <fmt/format.h>

namespace kerncast::slice {
namespace {

// Sizes that no GPU launches (CUDA C++ Programming Guide, technical specifications).
constexpr std::uint64_t max_threads_per_cta = 1024;

} // namespace

Expected<void> check_geometry(const tasklist::Launch& launch) {
  const auto& [gx, gy, gz] = launch.grid;
  if (gx == 0 || gy == 0 || gz == 0 || launch.block.count() == 0)
    return fail(fmt::format("a launch of {}x{}x{} CTAs of {}x{}x{} threads is empty", gx, gy, gz,
                            launch.block.x, launch.block.y, launch.block.z),
                "every dimension of grid and block is at least 1");
  const bool large = launch.block.x > max_threads_per_cta || launch.block.y > max_threads_per_cta ||
                     launch.block.z > max_threads_per_cta || launch.block.count() > max_threads_per_cta;
  if (large)
    return fail(
        fmt::format("a CTA of {}x{}x{} threads is too large", launch.block.x, launch.block.y, launch.block.z),
        fmt::format("a CTA has at most {} threads", max_threads_per_cta));
  // 2^31 - 1 by 65535 by 65535 CTAs; the product of all three must still fit in 64 bits.
  if (gx > 0x7fffffffU || gy > 0xffffU || gz > 0xffffU)
    return fail(fmt::format("a grid of {}x{}x{} CTAs is too large", gx, gy, gz),
                "a grid has at most 2147483647 x 65535 x 65535 CTAs");
  return {};
}

} // namespace kerncast::slice
