// L2s that see the same accesses count the same together, in one stack or not, as each of them by itself.
#include <algorithm>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "l2s.h"

namespace kerncast::hit_rates {
namespace {

constexpr std::size_t tasks = 3;

// Stores of whole sectors, or of some parts of them.
caches::PartMask any_parts_of(caches::SectorMask sectors, const configs::Cache& l1) {
  const std::uint32_t per_sector = parts_per_sector(l1);
  const caches::PartMask of_one = ~caches::PartMask{0} >> (caches::parts_per_line - per_sector);
  caches::PartMask parts = 0;
  for (std::uint32_t s = 0; s < l1.line_bytes / l1.sector_bytes; ++s)
    if ((sectors >> s & 1U) != 0)
      parts |= (*rc::gen::oneOf(rc::gen::just(of_one), rc::gen::just(of_one & 0x33333333U),
                                rc::gen::just(of_one & 0xccccccccU), rc::gen::inRange(1U, 3U)))
               << s * per_sector;
  return parts;
}

std::vector<L2Access> any_accesses(const configs::Cache& l1) {
  const caches::SectorMask all_sectors = (1U << l1.line_bytes / l1.sector_bytes) - 1;
  const auto lines = *rc::gen::inRange<std::uint64_t>(1, 60);
  const auto count = *rc::gen::inRange<std::size_t>(0, 400);
  const auto any_sectors = *rc::gen::arbitrary<bool>();
  std::vector<L2Access> accesses;
  for (std::uint64_t i = 0; i < count; ++i) {
    // Walks and jumps.
    const std::uint64_t line =
        *rc::gen::oneOf(rc::gen::just(i % lines), rc::gen::inRange<std::uint64_t>(0, lines));
    const caches::SectorMask sectors = any_sectors ? *rc::gen::inRange(1U, all_sectors + 1) : all_sectors;
    accesses.push_back({.line = line,
                        .sectors = sectors,
                        .parts = any_parts_of(sectors, l1),
                        .task = *rc::gen::inRange<tasklist::TaskId>(0, tasks),
                        .group = *rc::gen::inRange<std::uint8_t>(0, sample_groups),
                        .kind = *rc::gen::element(L2Access::Kind::load, L2Access::Kind::store)});
  }
  return accesses;
}

// Of few lines, as none, one and equal sizes come often so, or of more than are touched.
configs::Cache any_size_of(configs::Cache l2, std::uint32_t sampling_shift) {
  const auto lines = *rc::gen::weightedOneOf<std::uint64_t>(
      {{8, rc::gen::inRange<std::uint64_t>(0, 24)}, {1, rc::gen::just<std::uint64_t>(1000)}});
  l2.bytes = (lines << sampling_shift) * l2.line_bytes;
  return l2;
}

configs::Cache any_other() {
  configs::Cache l2;
  l2.ways = *rc::gen::element(0U, 0U, 0U, 2U);
  using enum configs::Replacement;
  l2.replacement = *rc::gen::element(lru, lru, lru, random);
  l2.line_bytes = *rc::gen::element(64U, 128U, 128U, 256U);
  l2.sector_bytes = *rc::gen::element(32U, 32U, 64U);
  l2.dirty_fraction = *rc::gen::element(1.0, 1.0, 0.25);
  return l2;
}

auto numbers(const SectorCounts& counts) {
  return std::tuple(counts.l1_requested, counts.l2_loaded, counts.l2_hit, counts.l2_lost, counts.l2_gained,
                    counts.lines_added, counts.cleaned);
}

void check_equal(const HitCounts& together, const HitCounts& alone) {
  RC_ASSERT(together.written_back == alone.written_back);
  RC_ASSERT(together.made_dirty == alone.made_dirty);
  RC_ASSERT(together.by_task.size() == alone.by_task.size());
  for (std::size_t t = 0; t < tasks; ++t)
    RC_ASSERT(numbers(together.by_task[t]) == numbers(alone.by_task[t]));
  for (std::size_t g = 0; g < sample_groups; ++g)
    RC_ASSERT(numbers(together.by_group[g]) == numbers(alone.by_group[g]));
}

// By launch, its half and L2.
std::vector<HitCounts> counts_of(std::span<const configs::Cache> l2s, const Effort& effort,
                                 const configs::Cache& l1,
                                 const std::vector<std::vector<L2Access>>& launches) {
  HitCounts common(tasks);
  common.by_task.front().l2_loaded = 5;
  L2sInUse in_use(l2s, effort);
  std::vector<HitCounts> all;
  for (const std::vector<L2Access>& accesses : launches) {
    L2sRun run(in_use, l1, tasks);
    for (const auto& part :
         {std::span(accesses).first(accesses.size() / 2), std::span(accesses).subspan(accesses.size() / 2)}) {
      run.run(part);
      for (HitCounts& counts : run.take_counts(common))
        all.push_back(std::move(counts));
    }
  }
  return all;
}

void check_as_if_alone(const std::vector<configs::Cache>& l2s, const Effort& effort) {
  configs::Cache l1;
  l1.line_bytes = *rc::gen::element(32U, 128U);
  l1.sector_bytes = *rc::gen::element(32U, 32U, l1.line_bytes);
  const std::vector<std::vector<L2Access>> launches{any_accesses(l1), any_accesses(l1), any_accesses(l1)};
  const std::vector<HitCounts> together = counts_of(l2s, effort, l1, launches);
  for (std::size_t i = 0; i < l2s.size(); ++i) {
    RC_ASSERT(L2sInUse({&l2s[i], 1}, effort).stacks.empty());
    const std::vector<HitCounts> alone = counts_of({&l2s[i], 1}, effort, l1, launches);
    for (std::size_t k = 0; k < alone.size(); ++k)
      check_equal(together[k * l2s.size() + i], alone[k]);
  }
}

RC_GTEST_PROP(L2s, of_one_stack_count_as_if_alone, ()) {
  const Effort effort{.sampling_shift = *rc::gen::inRange(0U, 2U)};
  configs::Cache alike;
  alike.line_bytes = *rc::gen::element(32U, 64U, 128U);
  alike.sector_bytes = *rc::gen::element(32U, alike.line_bytes);
  std::vector<configs::Cache> l2s;
  for (auto left = *rc::gen::inRange(2, 12); left > 0; --left)
    l2s.push_back(any_size_of(alike, effort.sampling_shift));
  RC_PRE(std::ranges::count_if(l2s, [](const configs::Cache& l2) { return l2.bytes > 0; }) > 1);
  RC_ASSERT(L2sInUse(l2s, effort).stacks.size() == 1U);
  check_as_if_alone(l2s, effort);
}

RC_GTEST_PROP(L2s, of_any_kind_count_as_if_alone, ()) {
  const Effort effort{.sampling_shift = *rc::gen::inRange(0U, 2U), .bounds = *rc::gen::inRange(0, 8) == 0};
  std::vector<configs::Cache> l2s;
  for (auto left = *rc::gen::inRange(1, 12); left > 0; --left)
    l2s.push_back(any_size_of(any_other(), effort.sampling_shift));
  check_as_if_alone(l2s, effort);
}

} // namespace
} // namespace kerncast::hit_rates
