// Rows of a rank that was told hit rates are those of the rank that found them.
#include <fstream>
#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "../../temporary_folder.h"
#include "support/byte_parts.h"
#include "sweep/predictor.h"
#include "sweep/prepare.h"
#include "sweep/units.h"

namespace kerncast::app {
namespace {

class HitRatesTravel : public testing::Test {
protected:
  HitRatesTravel() {
    int argc = 0;
    char** argv = nullptr;
    const std::string file = (folder_.path() / "s.toml").string();
    std::ofstream(file) << "[sweep]\nbase = [\"titan-x\"]\napps = [\"" KERNCAST_SOURCE_DIR
                           "/apps/workloads/basic/vector_add/app.json\"]\n[axes]\nl2.mib = [1, 3]\n";
    const StopRequest stop({});
    auto sweep = prepare_sweep(file, configs::ConfigPath({KERNCAST_SOURCE_DIR "/configs"}), 1, stop,
                               cluster::Cluster(argc, argv));
    app_ = *sweep->applications.get(0, 1, stop);
    variants_ = sweep->job.plan.bases.front().variants;
    for (const sweep::Point& point : sweep->job.plan.points)
      gpus_.push_back(*sweep->job.plan.gpu_of(point));
  }

  std::string row(Predictor& predictor, const configs::Gpu& gpu) const {
    return sweep::encode(std::vector{predictor.predict(*app_, gpu)});
  }

  ReadyApplication app_;
  std::optional<configs::GpuVariants> variants_;
  std::vector<configs::Gpu> gpus_;
  Simulations simulations_{std::nullopt};
  Predictor finder_{simulations_}, told_{simulations_};

private:
  test::TemporaryFolder folder_;
};

// The same bytes but for the rate, which only who was told it can know.
std::string with_l1_rate(std::string_view told, double rate) {
  std::string changed;
  append_part(take_part(told), changed);
  while (!told.empty()) {
    append_part(take_part(told), changed); // what they depend on
    Hits hits = decode_hits(take_part(told));
    hits.front()->rates.l1 = rate;
    for (memory_model::HitRates& of_task : hits.front()->by_task)
      of_task.l1 = rate;
    append_part(encode(hits), changed);
  }
  return changed;
}

TEST_F(HitRatesTravel, AndRowsAreTheSame) {
  told_.put_hits(finder_.tell_hits(*app_, gpus_));
  for (const configs::Gpu& gpu : gpus_)
    EXPECT_EQ(row(told_, gpu), row(finder_, gpu));
}

TEST_F(HitRatesTravel, AndAreNotFoundAgain) {
  told_.put_hits(with_l1_rate(finder_.tell_hits(*app_, gpus_), 0.125));
  for (const configs::Gpu& gpu : gpus_)
    EXPECT_EQ(told_.predict(*app_, gpu).kernels.front().l1_hit, 0.125);
}

TEST_F(HitRatesTravel, AndOtherCachesHaveTheirOwn) {
  told_.put_hits(with_l1_rate(finder_.tell_hits(*app_, {gpus_.data(), 1}), 0.125));
  EXPECT_EQ(row(told_, gpus_[1]), row(finder_, gpus_[1]));
}

TEST_F(HitRatesTravel, ThatAreNotThereAreFoundByWhoNeedsThem) {
  const std::string nothing = finder_.tell_hits(*app_, {});
  EXPECT_FALSE(nothing.empty());
  told_.put_hits(nothing);
  EXPECT_EQ(row(told_, gpus_[0]), row(finder_, gpus_[0]));
}

// L2s side by side have the rows of each by itself: other sizes, sets, lines and replacement, and an L1 that
// lets other accesses through.
TEST_F(HitRatesTravel, AndAreThoseOfEachL2ByItself) {
  for (const char* change :
       {"l2.ways=8", "l2.replacement=random", "l2.line_bytes=64", "l1.kib=96", "sms=12"}) {
    const std::string text(change);
    const std::size_t is = text.find('=');
    const auto changed = variants_->with({{text.substr(0, is), text.substr(is + 1)}});
    ASSERT_TRUE(changed) << render(changed.error());
    gpus_.push_back(*changed);
  }
  finder_.find_hits(*app_, gpus_);
  std::set<std::string> different;
  for (const configs::Gpu& gpu : gpus_) {
    Simulations simulations{std::nullopt};
    Predictor alone(simulations);
    different.insert(row(alone, gpu));
    EXPECT_EQ(row(finder_, gpu), row(alone, gpu));
  }
  EXPECT_GT(different.size(), 4U);
}

TEST(HitRatesAsBytes, AreReadAsTheyWereWritten) {
  hit_rates::LaunchHits hits;
  hits.rates = {0.1, 0.2, 0.3, 0.4};
  hits.by_task = {hits.rates, {0.5, 0.6, 0.7, 0.8}, hits.rates};
  hits.partly_given = true;
  hits.notes = {"a note", "another"};
  const Hits read = decode_hits(encode({std::nullopt, hits}));
  ASSERT_EQ(read.size(), 2U);
  EXPECT_FALSE(read[0]);
  ASSERT_TRUE(read[1]);
  EXPECT_EQ(read[1]->rates, hits.rates);
  EXPECT_EQ(read[1]->by_task, hits.by_task);
  EXPECT_TRUE(read[1]->partly_given);
  EXPECT_EQ(read[1]->notes, hits.notes);
}

TEST(UnitsAsBytes, AreReadAsTheyWereWritten) {
  const std::string bytes("\0 1", 3);
  const WorkUnit unit = decode_unit(encode(
      WorkUnit{.group = 7, .app = 2, .is_group = true, .finds = true, .points = {5, 6}, .shared = bytes}));
  EXPECT_EQ(unit.group, 7U);
  EXPECT_EQ(unit.app, 2U);
  EXPECT_TRUE(unit.is_group);
  EXPECT_TRUE(unit.finds);
  EXPECT_EQ(unit.points, std::vector<std::uint32_t>({5, 6}));
  EXPECT_EQ(unit.shared, bytes);
  const UnitReport report = decode_report(encode(UnitReport{7, true, bytes}));
  EXPECT_EQ(report.group, 7U);
  EXPECT_TRUE(report.is_stopped);
  EXPECT_EQ(report.shared, bytes);
}

} // namespace
} // namespace kerncast::app
