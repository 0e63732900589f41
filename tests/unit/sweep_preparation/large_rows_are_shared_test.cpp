// Rows that would keep one worker busy while the others wait are prepared by all: launch by launch.
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "../../temporary_folder.h"
#include "support/byte_parts.h"
#include "sweep/behaviours.h"
#include "sweep/computer.h"
#include "sweep/kernel_predictions.h"
#include "sweep/prepare.h"

namespace kerncast::app {
namespace {

const std::string workloads = KERNCAST_SOURCE_DIR "/apps/workloads/basic/";

class LargeRows : public testing::Test {
protected:
  // A sweep on a Titan X; `apps` as in its file.
  void prepare(const std::string& apps, const std::string& axes) {
    const std::string file = (folder_.path() / "s.toml").string();
    std::ofstream(file) << "[sweep]\nbase = [\"titan-x\"]\napps = [" << apps << "]\n[axes]\n" << axes;
    sweep_ = prepare_sweep(file, configs::ConfigPath({KERNCAST_SOURCE_DIR "/configs"}), 1, stop_, cluster_);
    ASSERT_TRUE(sweep_) << sweep_.error().message;
  }

  std::vector<WorkUnit> for_all(std::size_t workers) {
    std::vector<std::uint32_t> points(sweep_->job.plan.points.size());
    for (std::uint32_t p = 0; p < points.size(); ++p)
      points[p] = p;
    return units_for_all(sweep_->job, missing_units(sweep_->job, points, {}, workers), workers);
  }

  // The rows of all points of the first application.
  std::string rows(Computer& computer) const {
    WorkUnit unit{.is_group = true, .points = {}, .shared = {}};
    for (std::uint32_t p = 0; p < sweep_->job.plan.points.size(); ++p)
      unit.points.push_back(p);
    std::string rows;
    computer.compute(unit, [&](std::string some) { rows += some; });
    return rows;
  }

  int argc_ = 0;
  char** argv_ = nullptr;
  const cluster::Cluster cluster_{argc_, argv_};
  const StopRequest stop_{{}};
  tl::expected<PreparedSweep, cluster::Status> sweep_ = tl::unexpected(cluster::Status{});

private:
  test::TemporaryFolder folder_;
};

const std::string bfs = '"' + workloads + "bfs/app.json\""; // ten launches
const std::string vector_add = '"' + workloads + "vector_add/app.json\"";

TEST_F(LargeRows, AreThoseThatAreMoreThanAWorkersShareOfWhatIsToBeFound) {
  prepare(bfs + ", " + vector_add, "clock_mhz = [900, 1000]\n");
  const double of_bfs = sweep_->job.apps[0].warps, of_vector_add = sweep_->job.apps[1].warps;
  ASSERT_LT(of_bfs, of_vector_add);
  EXPECT_TRUE(for_all(1).empty());
  const std::vector<WorkUnit> of_two = for_all(2);
  ASSERT_EQ(of_two.size(), 1U);
  EXPECT_EQ(of_two[0].app, 1U);
  EXPECT_EQ(of_two[0].points.size(), 2U);
  EXPECT_FALSE(of_two[0].finds);
  const auto many = static_cast<std::size_t>((of_bfs + of_vector_add) / of_bfs) + 1;
  EXPECT_EQ(for_all(many).size(), 2U);
}

// Their rows are enough for all workers: what they share is not.
TEST_F(LargeRows, OfManyPointsShareHitRatesOnly) {
  prepare(bfs, "clock_mhz = { from = 900, to = 1000, steps = 8, round = 1 }\n");
  const std::vector<WorkUnit> units = for_all(2);
  ASSERT_EQ(units.size(), 1U);
  EXPECT_TRUE(units[0].finds);
  EXPECT_FALSE(for_all(3)[0].finds);
}

// A thread that works on a part waits until another one does, too.
class Meeting {
public:
  explicit Meeting(std::size_t workers) : workers_(workers) {}
  void arrive() {
    std::unique_lock lock(mutex_);
    present_.insert(std::this_thread::get_id());
    arrived_.notify_all();
    arrived_.wait_for(lock, std::chrono::minutes(1), [&] { return present_.size() >= workers_; });
  }
  std::size_t present() const { return present_.size(); }

private:
  std::size_t workers_;
  std::mutex mutex_; // guards what follows
  std::condition_variable arrived_;
  std::set<std::thread::id> present_;
};

TEST_F(LargeRows, ArePreparedByAllThreadsAndAreTheSame) {
  prepare(bfs, "l2.mib = [1, 3]\n");
  Computer alone(sweep_->job, sweep_->applications, std::nullopt, stop_),
      together(sweep_->job, sweep_->applications, std::nullopt, stop_);
  for (const bool finds : {true, false}) {
    Meeting meeting(2);
    const Together all{cluster_, 2, [&] {
                         meeting.arrive();
                         return false;
                       }};
    together.prepare_together({.finds = finds, .points = {0, 1}, .shared = {}}, all);
    EXPECT_EQ(meeting.present(), 2U) << finds;
  }
  EXPECT_EQ(rows(together), rows(alone));
}

TEST_F(LargeRows, ThatAreStoppedAreLeft) {
  prepare(bfs, "l2.mib = [1, 3]\n");
  Computer computer(sweep_->job, sweep_->applications, std::nullopt, stop_);
  EXPECT_THROW(
      computer.prepare_together({.points = {0, 1}, .shared = {}}, {cluster_, 2, [] { return true; }}),
      StoppedTogether);
}

TEST_F(LargeRows, AreTheSameWhereWhatLaunchesDoWasTold) {
  prepare(bfs, "l2.mib = [1, 3]\n");
  Computer computer(sweep_->job, sweep_->applications, std::nullopt, stop_);
  const std::string expected = rows(computer);
  Applications apps(sweep_->job.file);
  ASSERT_TRUE(apps.read(0, 1));
  ASSERT_TRUE(apps.prepare_together(0, {cluster_, 2, [] { return false; }}));
  Computer told(sweep_->job, apps, std::nullopt, stop_);
  EXPECT_EQ(rows(told), expected);
}

TEST(BehavioursAsBytes, AreReadAsTheyWereWritten) {
  tasklist::LaunchBehaviour behaviour;
  behaviour.shapes = {{.mask = 3, .bytes = 4, .offsets = {0, 4}}, {.bulk = tasklist::BulkExtent{64, 32}}};
  behaviour.access_pool = {1, 0};
  behaviour.visits = {{5, 3, {0, 2}}};
  behaviour.paths = {{{{tasklist::PathNode::Kind::repeat, 0, 1, 9}, {tasklist::PathNode::Kind::visit, 0}}},
                     {}};
  behaviour.classes = {{{0, 1}, 7}, {{1}, 2}};
  behaviour.order = {{0, 7}, {1, 2}};
  behaviour.ctas_executed = 3;
  behaviour.assumptions = {"one", ""};
  const tasklist::LaunchBehaviour read = decode_behaviour(encode(behaviour));
  EXPECT_EQ(read.shapes, behaviour.shapes);
  EXPECT_EQ(read.access_pool, behaviour.access_pool);
  ASSERT_EQ(read.visits.size(), 1U);
  EXPECT_EQ(read.visits[0].active_mask, 3U);
  ASSERT_EQ(read.paths.size(), 2U);
  EXPECT_EQ(read.paths[0].nodes, behaviour.paths[0].nodes);
  EXPECT_TRUE(read.paths[1].nodes.empty());
  ASSERT_EQ(read.classes.size(), 2U);
  EXPECT_EQ(read.classes[0].warp_paths, behaviour.classes[0].warp_paths);
  EXPECT_EQ(read.classes[1].cta_count, 2U);
  EXPECT_EQ(read.order, behaviour.order);
  EXPECT_EQ(read.ctas_executed, 3U);
  EXPECT_EQ(read.assumptions, behaviour.assumptions);
}

} // namespace
} // namespace kerncast::app
