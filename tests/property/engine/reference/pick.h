// The scheduling policies of the plain reference.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <vector>

#include "configs/gpu.h"

namespace kerncast::engine::reference {

// A scheduler's warps that can issue, in the order of their slots, of 64.
struct Choice {
  const std::vector<std::uint32_t>& slots;
  std::function<std::uint64_t(std::uint32_t slot)> age;
  std::uint32_t last = 0; // slot that issued last
};

// The first of the slots from `begin` on, going round.
inline std::uint32_t first_from(const std::vector<std::uint32_t>& slots, std::uint32_t begin) {
  const auto at = std::lower_bound(slots.begin(), slots.end(), begin);
  return at != slots.end() ? *at : slots.front();
}

inline std::uint32_t oldest(const Choice& c) {
  return *std::min_element(c.slots.begin(), c.slots.end(),
                           [&c](auto a, auto b) { return c.age(a) < c.age(b); });
}

inline std::uint32_t youngest(const Choice& c) {
  return *std::max_element(c.slots.begin(), c.slots.end(),
                           [&c](auto a, auto b) { return c.age(a) < c.age(b); });
}

inline std::uint32_t last_or(const Choice& c, std::uint32_t other) {
  return std::binary_search(c.slots.begin(), c.slots.end(), c.last) ? c.last : other;
}

inline std::uint32_t two_level(const Choice& c) {
  const std::uint32_t group = c.last / 8;
  std::vector<std::uint32_t> in_group;
  std::copy_if(c.slots.begin(), c.slots.end(), std::back_inserter(in_group),
               [group](std::uint32_t slot) { return slot / 8 == group; });
  return in_group.empty() ? first_from(c.slots, group * 8 + 8) : first_from(in_group, c.last + 1);
}

inline std::uint32_t pick(configs::SchedulerPolicy policy, const Choice& c) {
  switch (policy) {
  case configs::SchedulerPolicy::lrr:
    return first_from(c.slots, c.last + 1);
  case configs::SchedulerPolicy::gto:
    return last_or(c, oldest(c));
  case configs::SchedulerPolicy::oldest:
    return oldest(c);
  case configs::SchedulerPolicy::two_level:
    return two_level(c);
  case configs::SchedulerPolicy::gty:
    return last_or(c, youngest(c));
  }
  return c.slots.front();
}

} // namespace kerncast::engine::reference
