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

TEST(Keeper, GivesNothingAfterOneWorkerWasAskedToStop) {
  const test::TemporaryFolder folder;
  const std::string file = (folder.path() / "s.toml").string();
  std::ofstream(file) << "[sweep]\nbase = [\"titan-x\"]\napps = [\"" KERNCAST_SOURCE_DIR
                         "/apps/workloads/basic/vector_add/app.json\"]\n[axes]\nl2.mib = [1, 3]\n"
                         "clock_mhz = { from = 500, to = 1500, steps = 101, round = 1 }\n";
  int argc = 0;
  char** argv = nullptr;
  const StopRequest stop({});
  auto sweep = prepare_sweep(file, configs::ConfigPath({KERNCAST_SOURCE_DIR "/configs"}), 1, stop,
                             cluster::Cluster(argc, argv));
  ASSERT_TRUE(sweep);
  const auto keeper = Keeper::open(folder.path() / "r.sqlite", sweep->job, stop, 2);
  ASSERT_TRUE(keeper);
  ASSERT_TRUE((*keeper)->begin());
  const WorkUnit first = decode_unit((*keeper)->next("").unit),
                 second = decode_unit((*keeper)->next("").unit);
  ASSERT_TRUE(first.finds && second.finds);
  ASSERT_NE(first.group, second.group);
  EXPECT_EQ((*keeper)->next("").kind, Kind::later);
  EXPECT_EQ((*keeper)->next(encode(UnitReport{first.group, ""})).kind, Kind::nothing); // it was asked
  EXPECT_EQ((*keeper)->next(encode(UnitReport{second.group, "rates"})).kind, Kind::nothing);
  EXPECT_FALSE((*keeper)->begin());
}

} // namespace
} // namespace kerncast::app
