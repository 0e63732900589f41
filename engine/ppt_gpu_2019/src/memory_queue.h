// The tool's queue of memory accesses under way.
//
// The tool looks at the oldest access and, once it is done, removes the *newest*, until the queue is empty:
// the oldest stays in front throughout. So the queue keeps everything until its oldest access is done and
// is then empty; only the number of entries and the oldest completion matter.
#pragma once

#include <cmath>
#include <cstdint>

namespace kerncast::ppt_gpu_2019 {

class MemoryQueue {
public:
  explicit MemoryQueue(std::uint32_t entries) : entries_(entries) {}
  bool full(double cycle) const { return count_ >= entries_ && oldest_ > cycle; }
  // Only if not full.
  void push(double cycle, double completion) {
    if (oldest_ <= cycle)
      count_ = 0;
    if (count_++ == 0)
      oldest_ = completion;
  }
  // The first cycle in which the oldest access is done.
  std::int64_t drained_at() const { return static_cast<std::int64_t>(std::ceil(oldest_)); }

private:
  std::uint32_t entries_;
  std::uint32_t count_ = 0;
  double oldest_ = 0;
};

} // namespace kerncast::ppt_gpu_2019
