#include "l2s.h"

#include <algorithm>

#include "caches/lru_stack.h"
#include "followed_caches.h"
#include "hit_rates/cache_lines.h"

namespace kerncast::hit_rates {
namespace {

using caches::LruStack;
using Group = std::vector<std::size_t>; // numbers of L2s that are simulated together

bool can_be_in_a_stack(const configs::Cache& l2, const Effort& effort) {
  return !effort.bounds && l2.ways == 0 && l2.replacement == configs::Replacement::lru &&
         l2.dirty_fraction >= 1 && l2.line_bytes <= LruStack::most_sectors * l2.sector_bytes &&
         followed_lines(l2, l2.bytes, effort.sampling_shift) > 0;
}

bool are_alike(const configs::Cache& a, const configs::Cache& b) {
  return a.line_bytes == b.line_bytes && a.sector_bytes == b.sector_bytes;
}

std::vector<Group> groups_of(std::span<const configs::Cache> l2s, const Effort& effort) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < l2s.size(); ++i) {
    const bool joins = can_be_in_a_stack(l2s[i], effort);
    const auto group = std::ranges::find_if(groups, [&](const Group& one) {
      const configs::Cache& first = l2s[one.front()];
      return joins && one.size() < LruStack::most_sizes && can_be_in_a_stack(first, effort) &&
             are_alike(first, l2s[i]);
    });
    if (group == groups.end())
      groups.push_back({i});
    else
      group->push_back(i);
  }
  return groups;
}

L2InUse l2_by_itself(std::size_t number, const configs::Cache& l2, const Effort& effort) {
  L2InUse in_use{number, l2, cache_of(l2, l2.bytes, effort.sampling_shift)};
  if (effort.bounds)
    in_use.sizes = other_sizes(l2, l2.bytes, effort);
  return in_use;
}

// `lines`: by L2.
L2StackInUse stack_of(const Group& group, const configs::Cache& first,
                      const std::vector<std::uint64_t>& lines) {
  std::vector<std::uint64_t> sizes;
  for (const std::size_t number : group)
    sizes.push_back(lines[number]);
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  std::vector<L2StackInUse::Member> members;
  for (const std::size_t number : group) {
    const auto at = std::ranges::lower_bound(sizes, lines[number]) - sizes.begin();
    members.push_back({number, static_cast<LruStack::Level>(at)});
  }
  return {first, LruStack(std::move(sizes)), std::move(members)};
}

} // namespace

L2sInUse::L2sInUse(std::span<const configs::Cache> l2s, const Effort& effort) : lines(l2s.size()) {
  for (const Group& group : groups_of(l2s, effort)) {
    const std::size_t first = group.front();
    if (group.size() == 1) {
      by_themselves.push_back(l2_by_itself(first, l2s[first], effort));
      lines[first] = by_themselves.back().cache.capacity();
      continue;
    }
    for (const std::size_t number : group)
      lines[number] = followed_lines(l2s[number], l2s[number].bytes, effort.sampling_shift);
    stacks.push_back(stack_of(group, l2s[first], lines));
  }
}

L2sRun::L2sRun(L2sInUse& l2s, const configs::Cache& l1, std::size_t tasks)
    : number_of_l2s_(l2s.lines.size()) {
  for (L2InUse& l2 : l2s.by_themselves)
    by_themselves_.emplace_back(l2, l1, tasks);
  for (L2StackInUse& stack : l2s.stacks)
    stacks_.emplace_back(stack, l1, tasks);
}

void L2sRun::run(std::span<const L2Access> accesses) {
  for (L2Run& l2 : by_themselves_)
    l2.run(accesses);
  for (L2StackRun& stack : stacks_)
    stack.run(accesses);
}

std::vector<HitCounts> L2sRun::take_counts(const HitCounts& common) {
  std::vector<HitCounts> by_l2(number_of_l2s_, common);
  for (L2Run& l2 : by_themselves_)
    l2.take_counts(by_l2);
  for (L2StackRun& stack : stacks_)
    stack.take_counts(by_l2);
  return by_l2;
}

std::uint64_t lines_kept(std::span<const configs::Cache> l2s) {
  std::uint64_t lines = 0;
  for (const Group& group : groups_of(l2s, {})) {
    const auto of_one = [&](std::size_t l2) { return followed_lines(l2s[l2], l2s[l2].bytes, 0); };
    lines += of_one(*std::ranges::max_element(group, {}, of_one));
  }
  return lines;
}

} // namespace kerncast::hit_rates
