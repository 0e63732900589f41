#include "warp/access_patterns.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "support/mix_bits.h"
#include "warp/address_shapes.h"

namespace kerncast::warp {
namespace {

using tasklist::AccessPattern;
using tasklist::Space;
using tasklist::TracedAccess;

std::uint64_t hash_of(const AccessPattern& pattern) {
  std::uint64_t hash =
      mix_bits(pattern.mask ^ (std::uint64_t{pattern.bytes} << 32) ^ mix_bits(pattern.reach + pattern.grain));
  for (const std::int64_t offset : pattern.offsets)
    hash = mix_bits(hash + static_cast<std::uint64_t>(offset));
  return hash;
}

} // namespace

bool reaches_caches(const AccessStep& step) {
  return step.space == Space::global || step.space == Space::local || step.space == Space::generic ||
         step.space == Space::texture || step.may_miss_constants;
}

std::optional<TracedAccess> AccessPatterns::trace(const AccessStep& step,
                                                  const Lanes<std::uint64_t>& addresses, LaneMask lanes) {
  const std::uint64_t first = addresses[static_cast<std::uint32_t>(std::countr_zero(lanes))];
  const bool generic = step.space == Space::generic;
  if (!reaches_caches(step) || (generic && is_shared_address(first, address_bits_)))
    return std::nullopt;
  if (patterns_.size() >= max_patterns_) {
    is_full_ = true;
    return trace_unknown(step, lanes);
  }
  AccessPattern pattern;
  pattern.local = step.space == Space::local || (generic && is_local_address(first, address_bits_));
  pattern.mask = lanes;
  pattern.bytes = step.bytes;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    if (has(lanes, i))
      pattern.offsets[i] = static_cast<std::int64_t>(addresses[i] - first);
  return TracedAccess{first, {}, step.task, id_of(pattern)};
}

std::optional<TracedAccess> AccessPatterns::trace_unknown(const AccessStep& step, LaneMask lanes,
                                                          AddressExtent in) {
  if (!reaches_caches(step))
    return std::nullopt;
  AccessPattern pattern;
  pattern.known = false;
  pattern.reach = in.bytes;
  pattern.grain = std::max<std::uint64_t>({1, step.bytes, in.grain});
  pattern.mask = lanes;
  pattern.bytes = step.bytes;
  return TracedAccess{in.begin, {}, step.task, id_of(pattern)};
}

std::vector<AccessPattern> AccessPatterns::take() {
  ids_ = {};
  return std::exchange(patterns_, {});
}

std::uint32_t AccessPatterns::id_of(const AccessPattern& pattern) {
  if (last_ < patterns_.size() && patterns_[last_] == pattern)
    return last_;
  const auto fresh = static_cast<std::uint32_t>(patterns_.size());
  const std::uint32_t id = ids_.find_or_add(hash_of(pattern), fresh,
                                            [&](std::uint32_t other) { return patterns_[other] == pattern; });
  if (id == fresh)
    patterns_.push_back(pattern);
  last_ = id;
  return id;
}

} // namespace kerncast::warp
