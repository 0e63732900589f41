#include "dram_mix.h"

#include <vector>

#include "path_sum.h"

namespace kerncast::engine {
namespace {

double mean_dram_bytes(const memory_model::Request& request) {
  double shares = 0, bytes = 0;
  for (const memory_model::ServedBy& level : request.levels) {
    shares += level.share;
    bytes += level.share * level.dram_bytes;
  }
  return shares > 0 ? bytes : request.dram_bytes;
}

// Bytes that one warp reads, or writes, whose path begins with that step.
double dram_bytes_of_path(const SmProgram& program, std::size_t first, bool reads) {
  return path_sum(program, first, [&](const Step& step) {
    double bytes = 0;
    for (std::uint32_t i = step.first_op; i < step.end_op; ++i) {
      const SmOp& op = program.ops[i];
      if (op.kind == SmOpKind::memory && op.returns_data == reads)
        bytes += mean_dram_bytes(program.requests[program.request_pool[step.requests + op.access]]);
    }
    return bytes;
  });
}

// Of all warps of the grid.
double dram_bytes_of_grid(const SmProgram& program, std::span<const CtaKind> kinds,
                          std::span<const GridKind> grid, bool reads) {
  std::vector<double> of_path;
  for (const std::uint32_t first : program.path_start)
    of_path.push_back(dram_bytes_of_path(program, first, reads));
  double sum = 0;
  for (std::size_t k = 0; k < kinds.size(); ++k)
    for (const std::uint32_t path : kinds[k].warp_paths)
      sum += static_cast<double>(grid[k].ctas) * of_path[path];
  return sum;
}

} // namespace

double written_share(const SmProgram& program, std::span<const CtaKind> kinds,
                     std::span<const GridKind> grid) {
  const double read = dram_bytes_of_grid(program, kinds, grid, true);
  const double written = dram_bytes_of_grid(program, kinds, grid, false);
  return written > 0 ? written / (read + written) : 0;
}

double slowdown_of_mix(double written, double loss) { return 1 + loss * 4 * written * (1 - written); }

} // namespace kerncast::engine
