// Patterns are interned; the addresses of local memory are those of the recorder, interleaved by lane.
#include "access_sink.h"

#include <bit>
#include <utility>

namespace kerncast::slice {
namespace {

using tasklist::AccessPattern;
using tasklist::Space;

// More patterns than that (addresses that scatter by computation) are taken as unknown, so that memory stays
// bounded.
constexpr std::size_t max_patterns = 1U << 16;

bool has_cached_space(const AccessStep& step) {
  return step.space == Space::global || step.space == Space::local || step.space == Space::generic ||
         step.space == Space::texture;
}

std::uint64_t hash_of(const AccessPattern& pattern) {
  std::uint64_t hash = mix(pattern.mask ^ (std::uint64_t{pattern.bytes} << 32));
  for (const std::int64_t offset : pattern.offsets)
    hash = mix(hash + static_cast<std::uint64_t>(offset));
  return hash;
}

} // namespace

AccessSink::AccessSink(const Program& program, std::uint64_t accesses_per_warp)
    : program_(program), accesses_per_warp_(accesses_per_warp), watched_loops_(program.loops.size(), false) {
  for (const BlockProgram& block : program.blocks)
    for (std::uint32_t s = block.first_step; s < block.first_step + block.step_count; ++s)
      if (program.steps[s].kind == Step::Kind::access &&
          has_cached_space(program.accesses[program.steps[s].index]))
        for (std::uint32_t loop = block.loop; loop != no_id; loop = program.loops[loop].parent)
          watched_loops_[loop] = true;
}

void AccessSink::add(const AccessStep& step, const Lanes<std::uint64_t>& addresses, LaneMask lanes) {
  const std::uint64_t first = addresses[static_cast<std::uint32_t>(std::countr_zero(lanes))];
  const bool local = step.space == Space::local ||
                     (step.space == Space::generic && is_local_address(first, program_.address_bits));
  // A generic address below local memory is one of shared memory.
  if (!has_cached_space(step) ||
      (step.space == Space::generic && is_shared_address(first, program_.address_bits)))
    return;
  AccessPattern pattern;
  pattern.local = local;
  pattern.mask = lanes;
  pattern.bytes = step.bytes;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    if ((lanes >> i & 1) != 0)
      pattern.offsets[i] = static_cast<std::int64_t>(addresses[i] - first);
  if (patterns_.size() >= max_patterns)
    return add_unknown(step, lanes);
  trace_.accesses.push_back({first, {}, step.task, pattern_id(pattern)});
}

void AccessSink::add_unknown(const AccessStep& step, LaneMask lanes) {
  if (!has_cached_space(step))
    return;
  AccessPattern pattern;
  pattern.known = false;
  pattern.mask = lanes;
  pattern.bytes = step.bytes;
  trace_.accesses.push_back({0, {}, step.task, pattern_id(pattern)});
}

tasklist::CtaTrace AccessSink::take() {
  start_warp();
  return std::exchange(trace_, {});
}

std::uint32_t AccessSink::pattern_id(const AccessPattern& pattern) {
  const auto fresh = static_cast<std::uint32_t>(patterns_.size());
  const std::uint32_t id = pattern_ids_.find_or_add(
      hash_of(pattern), fresh, [&](std::uint32_t other) { return patterns_[other] == pattern; });
  if (id == fresh)
    patterns_.push_back(pattern);
  return id;
}

} // namespace kerncast::slice
