#include "dram_mix.h"

#include <vector>

namespace kerncast::engine {
namespace {

struct Traffic {
  double read = 0;
  double written = 0;

  void add(double times, const Traffic& other) {
    read += times * other.read;
    written += times * other.written;
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

Traffic of_run(const SmProgram& program, const Step& step) {
  Traffic sum;
  for (std::uint32_t i = step.first_op; i < step.end_op; ++i) {
    const SmOp& op = program.ops[i];
    if (op.kind != SmOpKind::memory)
      continue;
    const double bytes = mean_dram_bytes(program.requests[program.request_pool[step.requests + op.access]]);
    (op.returns_data ? sum.read : sum.written) += bytes;
  }
  return sum;
}

// Of one warp whose path begins with that step.
Traffic of_path(const SmProgram& program, std::size_t first) {
  std::vector<Traffic> before; // each step
  Traffic sum;
  for (std::size_t i = first; program.steps[i].kind != Step::Kind::finish; ++i) {
    const Step& step = program.steps[i];
    before.push_back(sum);
    if (step.kind == Step::Kind::run) {
      sum.add(1, of_run(program, step));
      continue;
    }
    Traffic body = sum;
    body.add(-1, before[step.target - first]);
    sum.add(static_cast<double>(step.count - 1), body);
  }
  return sum;
}

} // namespace

double written_share(const SmProgram& program, std::span<const CtaKind> kinds,
                     std::span<const GridKind> grid) {
  std::vector<Traffic> of_paths;
  for (const std::uint32_t first : program.path_start)
    of_paths.push_back(of_path(program, first));
  Traffic sum;
  for (std::size_t k = 0; k < kinds.size(); ++k)
    for (const std::uint32_t path : kinds[k].warp_paths)
      sum.add(static_cast<double>(grid[k].ctas), of_paths[path]);
  const double all = sum.read + sum.written;
  return all > 0 ? sum.written / all : 0;
}

double slowdown_of_mix(double written, double loss) { return 1 + loss * 4 * written * (1 - written); }

} // namespace kerncast::engine
