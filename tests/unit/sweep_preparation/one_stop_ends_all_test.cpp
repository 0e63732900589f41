// A worker that is asked to stop while it finds what a group of rows shares ends the sweep for all others,
// whatever they report.
#include <fstream>

#include <gtest/gtest.h>

#include "../../temporary_folder.h"
#include "sweep/keeper.h"
#include "sweep/prepare.h"

namespace kerncast::app {
namespace {

using Kind = cluster::Answer::Kind;

class Keepers : public testing::Test {
protected:
  Keepers() {
    const std::string file = (folder_.path() / "s.toml").string();
    std::ofstream(file) << "[sweep]\nbase = [\"titan-x\"]\napps = [\"" KERNCAST_SOURCE_DIR
                           "/apps/workloads/basic/vector_add/app.json\"]\n[axes]\nl2.mib = [1, 3]\n"
                           "clock_mhz = { from = 500, to = 1500, steps = 101, round = 1 }\n";
    int argc = 0;
    char** argv = nullptr;
    sweep_ = prepare_sweep(file, configs::ConfigPath({KERNCAST_SOURCE_DIR "/configs"}), 1, stop_,
                           cluster::Cluster(argc, argv));
    keeper_ = *Keeper::open(folder_.path() / "r.sqlite", sweep_->job, stop_, 2);
    EXPECT_TRUE(keeper_->begin());
  }

  static std::string report(std::uint32_t group, bool is_stopped, const std::string& shared) {
    return encode(UnitReport{group, is_stopped, shared});
  }

  test::TemporaryFolder folder_;
  StopRequest stop_{{}};
  tl::expected<PreparedSweep, cluster::Status> sweep_ = tl::unexpected(cluster::Status{});
  std::unique_ptr<Keeper> keeper_;
};

TEST_F(Keepers, GiveNothingAfterOneWorkerWasAskedToStop) {
  const WorkUnit first = decode_unit(keeper_->next("").unit), second = decode_unit(keeper_->next("").unit);
  ASSERT_TRUE(first.finds && second.finds);
  ASSERT_NE(first.group, second.group);
  EXPECT_EQ(keeper_->next("").kind, Kind::later);
  EXPECT_EQ(keeper_->next(report(first.group, true, "")).kind, Kind::nothing); // it was asked
  EXPECT_EQ(keeper_->next(report(second.group, false, "rates")).kind, Kind::nothing);
  EXPECT_FALSE(keeper_->begin());
}

// Also while it computes rows, and whatever it had found before.
TEST_F(Keepers, GiveNothingAfterOneWorkerHasLeftRowsOut) {
  const WorkUnit finding = decode_unit(keeper_->next("").unit);
  const WorkUnit rows = decode_unit(keeper_->next(report(finding.group, false, "rates")).unit);
  ASSERT_FALSE(rows.finds);
  EXPECT_EQ(keeper_->next(report(rows.group, true, "")).kind, Kind::nothing);
  EXPECT_EQ(keeper_->next("").kind, Kind::nothing);
}

} // namespace
} // namespace kerncast::app
