#include "dram_mix.h"

#include <cstdint>
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

// Bytes of DRAM.
struct Moved {
  double read = 0, written = 0;
  Moved() = default;
  explicit Moved(std::uint64_t times) : Moved(static_cast<double>(times), static_cast<double>(times)) {}
  Moved(double r, double w) : read(r), written(w) {}
  Moved& operator+=(const Moved& other) {
    read += other.read;
    written += other.written;
    return *this;
  }
  friend Moved operator-(const Moved& a, const Moved& b) { return {a.read - b.read, a.written - b.written}; }
  friend Moved operator*(const Moved& a, const Moved& b) { return {a.read * b.read, a.written * b.written}; }
};

// By all warps of the grid.
Moved moved_by_grid(const SmProgram& program, std::span<const CtaKind> kinds,
                    std::span<const GridKind> grid) {
  std::vector<double> of_request;
  for (const memory_model::Request& request : program.requests)
    of_request.push_back(mean_dram_bytes(request));
  const auto moved_in = [&](const Step& step) {
    Moved moved;
    for (std::uint32_t i = step.first_op; i < step.end_op; ++i)
      if (const SmOp& op = program.ops[i]; op.kind == SmOpKind::memory)
        (op.returns_data ? moved.read : moved.written) +=
            of_request[program.request_pool[step.requests + op.access]];
    return moved;
  };
  std::vector<Moved> of_path;
  for (const std::uint32_t first : program.path_start)
    of_path.push_back(path_sum(program, first, moved_in));
  Moved sum;
  for (std::size_t k = 0; k < kinds.size(); ++k)
    for (const std::uint32_t path : kinds[k].warp_paths)
      sum += Moved(grid[k].ctas) * of_path[path];
  return sum;
}

} // namespace

double written_share(const SmProgram& program, std::span<const CtaKind> kinds,
                     std::span<const GridKind> grid) {
  const Moved moved = moved_by_grid(program, kinds, grid);
  return moved.written > 0 ? moved.written / (moved.read + moved.written) : 0;
}

double slowdown_of_mix(double written, double loss) { return 1 + loss * 4 * written * (1 - written); }

} // namespace kerncast::engine
