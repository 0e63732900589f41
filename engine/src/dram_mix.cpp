#include "dram_mix.h"

#include <cstdint>
#include <vector>

#include "path_sum.h"

namespace kerncast::engine {
namespace {

// Bytes of DRAM.
struct Moved {
  double read = 0, written = 0;
  void add(const Moved& other) {
    read += other.read;
    written += other.written;
  }
};

double mean_dram_bytes(const memory_model::Request& request) {
  double shares = 0, bytes = 0;
  for (const memory_model::ServedBy& level : request.levels) {
    shares += level.share;
    bytes += level.share * level.dram_bytes;
  }
  return shares > 0 ? bytes : request.dram_bytes;
}

// By a warp in each step, loops left out.
std::vector<Moved> moved_in_steps(const SmProgram& program) {
  std::vector<Moved> of_request;
  for (const memory_model::Request& request : program.requests) {
    const double bytes = mean_dram_bytes(request);
    of_request.push_back({bytes * (1 - request.dram_written), bytes * request.dram_written});
  }
  std::vector<Moved> moved(program.steps.size());
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const Step& step = program.steps[i];
    if (step.kind != Step::Kind::run)
      continue;
    for (std::uint32_t at = step.first_op; at < step.end_op; ++at)
      if (const SmOp& op = program.ops[at]; op.kind == SmOpKind::memory)
        moved[i].add(of_request[program.request_pool[step.requests + op.access]]);
  }
  return moved;
}

// By all warps of the grid.
double bytes_of_grid(const SmProgram& program, std::span<const CtaKind> kinds, std::span<const GridKind> grid,
                     const std::vector<Moved>& in_steps, double Moved::*bytes) {
  std::vector<double> of_path;
  for (const std::uint32_t first : program.path_start)
    of_path.push_back(path_sum(program, first, [&](const Step& step) {
      return in_steps[static_cast<std::size_t>(&step - program.steps.data())].*bytes;
    }));
  double sum = 0;
  for (std::size_t k = 0; k < kinds.size(); ++k)
    for (const std::uint32_t path : kinds[k].warp_paths)
      sum += static_cast<double>(grid[k].ctas) * of_path[path];
  return sum;
}

} // namespace

double written_share(const SmProgram& program, std::span<const CtaKind> kinds,
                     std::span<const GridKind> grid) {
  const std::vector<Moved> in_steps = moved_in_steps(program);
  const double read = bytes_of_grid(program, kinds, grid, in_steps, &Moved::read);
  const double written = bytes_of_grid(program, kinds, grid, in_steps, &Moved::written);
  return written > 0 ? written / (read + written) : 0;
}

double slowdown_of_mix(double written, double loss) { return 1 + loss * 4 * written * (1 - written); }

} // namespace kerncast::engine
