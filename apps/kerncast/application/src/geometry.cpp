#include "application/geometry.h"

#include <array>

#include <fmt/format.h>

namespace kerncast::application {
namespace {

constexpr std::array<char, 3> axes = {'x', 'y', 'z'};

std::string extent_error(std::string_view what, const std::uint64_t (&extent)[3],
                         const std::uint64_t (&most)[3]) {
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (extent[i] < 1 || extent[i] > most[i])
      return fmt::format("{}.{} must be from 1 to {}, not {}", what, axes[i], most[i], extent[i]);
  return {};
}

} // namespace

std::string grid_error(const std::uint64_t (&extent)[3]) {
  std::string error = extent_error("grid", extent, max_grid);
  // Three factors below 2^31, 2^16 and 2^16 do not overflow.
  const std::uint64_t ctas = error.empty() ? extent[0] * extent[1] * extent[2] : 0;
  if (ctas > max_ctas)
    error = fmt::format("a grid of {} CTAs is larger than {}", ctas, max_ctas);
  return error;
}

std::string block_error(const std::uint64_t (&extent)[3]) {
  std::string error = extent_error("block", extent, max_block);
  const std::uint64_t threads = error.empty() ? extent[0] * extent[1] * extent[2] : 0;
  if (threads > max_threads_per_cta)
    error = fmt::format("a CTA of {} x {} x {} = {} threads is larger than {}", extent[0], extent[1],
                        extent[2], threads, max_threads_per_cta);
  return error;
}

std::string cluster_error(const std::uint64_t (&extent)[3]) {
  constexpr std::uint64_t most[3] = {max_ctas_per_cluster, max_ctas_per_cluster, max_ctas_per_cluster};
  std::string error = extent_error("cluster", extent, most);
  const std::uint64_t ctas = error.empty() ? extent[0] * extent[1] * extent[2] : 0;
  if (ctas > max_ctas_per_cluster)
    error = fmt::format("a cluster of {} CTAs is larger than {}", ctas, max_ctas_per_cluster);
  return error;
}

tasklist::Dim3 to_dim3(const std::uint64_t (&extent)[3]) {
  return {static_cast<std::uint32_t>(extent[0]), static_cast<std::uint32_t>(extent[1]),
          static_cast<std::uint32_t>(extent[2])};
}

} // namespace kerncast::application
