// Rank 0 reads all rows of a finished sweep once: it holds their times, and a piece of the CSV at a time.
#include <algorithm>

#include <gtest/gtest.h>

#include <sys/resource.h>

#include "../../temporary_folder.h"
#include "sweep/store.h"
#include "sweep_text.h"

namespace kerncast::sweep::test {
namespace {

#if !defined(KERNCAST_ADDRESS_SANITIZER) && !defined(KERNCAST_THREAD_SANITIZER)

constexpr std::uint32_t point_count = 10'000, app_count = 20;

std::string app_name(std::uint32_t a) { return "application " + std::to_string(100 + a); }

Expected<void> fill(ResultStore& store, const Plan& plan) {
  Expected<void> added;
  for (std::uint32_t p = 0; p < point_count && added; ++p) {
    std::vector<ResultRow> rows;
    for (std::uint32_t a = 0; a < app_count; ++a) {
      ResultRow& row = rows.emplace_back();
      row.app = app_name(a);
      row.gpu = plan.bases.front().name;
      row.point = text_of(plan.points[p]);
      row.settings = plan.points[p].settings;
      row.total_time_us = p + a;
      row.gpu_hash.assign(32, 'h');
      row.assumptions = "one\n";
    }
    added = store.add(rows);
  }
  return added;
}

double peak_mb() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

TEST(ReadingBack, OfTwoHundredThousandRowsNeedsLittleMemory) {
  const kerncast::test::TemporaryFolder folder;
  const Expected<Plan> made =
      plan(head + "[axes]\nl2.latency = { from = 1, to = " + std::to_string(point_count) +
           ", steps = " + std::to_string(point_count) + ", round = 1 }\n");
  ASSERT_TRUE(made) << render(made.error());
  ASSERT_EQ(made->points.size(), point_count);
  auto store = ResultStore::open(folder.path() / "r.sqlite", {"s", "1", fingerprint("s"), {"l2.latency"}});
  ASSERT_TRUE(store && fill(*store, *made));
  const double before = peak_mb();
  std::vector<std::string> names;
  for (std::uint32_t a = 0; a < app_count; ++a)
    names.push_back(app_name(a));
  const Expected<Times> times = store->times(*made, names);
  ASSERT_TRUE(times);
  EXPECT_EQ(times->at(point_count - 1)[app_count - 1].total_us, point_count - 1 + app_count - 1);
  ASSERT_TRUE(store->failed());
  std::size_t bytes = 0, longest = 0;
  ASSERT_TRUE(store->csv([&](std::string_view piece) {
    bytes += piece.size();
    longest = std::max(longest, piece.size());
    return Expected<void>();
  }));
  EXPECT_GT(bytes, 100U * point_count * app_count);
  EXPECT_LT(longest, 100'000U);
  // Times: 16 bytes a row, 3.2 MB, twice while they grow; the CSV alone has 20 MB.
  EXPECT_LT(peak_mb() - before, 15);
}

#endif

} // namespace
} // namespace kerncast::sweep::test
