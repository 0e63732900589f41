// The instruction cache of an SM, for programs that are larger than it: lines of 128 bytes, the least
// recently used one makes room, a miss is a read of L2. Where several SMs fetch through one cache they are
// taken to do so in step: L2 is asked for the line once for all of them. Left out: prefetching, the smaller
// caches of the sub-cores, and the first fetch of programs that fit.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/sm_time.h"
#include "memory_pipeline.h"

namespace kerncast::engine {

class InstructionCache {
public:
  static constexpr double line_bytes = 128;

  InstructionCache(const SmConfig& config, std::size_t instructions);

  bool enabled() const { return capacity_ != 0; }
  std::uint32_t line_of(std::size_t instruction) const {
    return static_cast<std::uint32_t>(instruction / instructions_per_line_);
  }
  // When the line that is asked for at `now` is there.
  Time fetch(std::uint32_t line, Time now, MemoryPipeline& memory);

private:
  struct Line {
    std::uint64_t last_use = 0; // 0: not in the cache
    Time arrives = 0;
  };
  void make_room();

  std::uint32_t capacity_;
  std::uint32_t instructions_per_line_;
  Time miss_latency_;
  double of_l2_; // bytes of a line
  std::uint32_t held_ = 0;
  std::uint64_t uses_ = 0;
  std::vector<Line> lines_; // of the program
};

} // namespace kerncast::engine
