#include "instruction_cache.h"

#include <algorithm>

namespace kerncast::engine {

InstructionCache::InstructionCache(const SmConfig& config, std::size_t instructions)
    : capacity_(config.instruction_cache_lines), instructions_per_line_(config.instructions_per_line),
      miss_latency_(to_time(config.instruction_miss_latency)), of_l2_(line_bytes / config.instruction_sms) {
  if (enabled())
    lines_.resize(instructions / instructions_per_line_ + 1);
}

Time InstructionCache::fetch(std::uint32_t line, Time now, MemoryPipeline& memory) {
  Line& wanted = lines_[line];
  if (wanted.last_use == 0) {
    if (held_ == capacity_)
      make_room();
    ++held_;
    wanted.arrives = memory.fetch(line_bytes, of_l2_, now) + miss_latency_;
  }
  wanted.last_use = ++uses_;
  return wanted.arrives;
}

void InstructionCache::make_room() {
  const auto used_later = [](const Line& a, const Line& b) {
    return a.last_use - 1 < b.last_use - 1; // lines that are not held come last
  };
  std::min_element(lines_.begin(), lines_.end(), used_later)->last_use = 0;
  --held_;
}

} // namespace kerncast::engine
