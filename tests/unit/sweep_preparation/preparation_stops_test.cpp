// A sweep that is asked to stop while it reads and executes its applications begins no further one.
#include <csignal>
#include <fstream>

#include <gtest/gtest.h>

#include "../../temporary_folder.h"
#include "sweep/prepare.h"

namespace kerncast::app {
namespace {

class Preparation : public testing::Test {
protected:
  // `apps` as in a sweep file.
  tl::expected<PreparedSweep, cluster::Status> prepare(const std::string& apps,
                                                       const StopRequest& stop) const {
    int argc = 0;
    char** argv = nullptr;
    const std::string file = (folder_.path() / "s.toml").string();
    std::ofstream(file) << "[sweep]\nbase = [\"titan-x\"]\napps = [" << apps
                        << "]\n[axes]\nclock_mhz = [1000, 1100]\n";
    return prepare_sweep(file, configs::ConfigPath({KERNCAST_SOURCE_DIR "/configs"}), 1, stop,
                         cluster::Cluster(argc, argv));
  }

  std::string scale() const { return "\"" KERNCAST_SOURCE_DIR "/tests/data/apps/scale.json\""; }

private:
  test::TemporaryFolder folder_;
};

TEST_F(Preparation, ThatIsLeftAloneFindsAllApplications) {
  auto sweep = prepare(scale(), StopRequest({}));
  ASSERT_TRUE(sweep) << sweep.error().message;
  ASSERT_EQ(sweep->job.apps.size(), 1U);
  EXPECT_GT(sweep->job.apps.front().warps, 0);
  EXPECT_EQ(sweep->job.plan.points.size(), 2U);
}

TEST_F(Preparation, ThatIsAskedToStopSaysWhyAndThatNothingIsThere) {
  for (const auto& [signal, name] : {std::pair(SIGTERM, "SIGTERM"), {SIGUSR1, "SIGUSR1"}}) {
    const StopRequest stop({});
    std::raise(signal);
    const auto sweep = prepare(scale(), stop);
    ASSERT_FALSE(sweep);
    EXPECT_EQ(sweep.error().exit_code, exit_stopped);
    EXPECT_EQ(sweep.error().message, std::string("note: stopped by ") + name +
                                         " before this job computed a row\n"
                                         "note: ask again to go on\n");
  }
}

TEST_F(Preparation, ThatIsPastItsTimeLimitStops) {
  const auto sweep = prepare(scale(), StopRequest(std::chrono::seconds(0)));
  ASSERT_FALSE(sweep);
  EXPECT_EQ(sweep.error().exit_code, exit_stopped);
  EXPECT_NE(sweep.error().message.find("stopped by --time-limit"), std::string::npos);
}

// It would fail if it were read.
TEST_F(Preparation, DoesNotReadTheNextApplicationWhenAskedToStop) {
  const auto wrong = prepare("\"none.json\"", StopRequest({}));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().exit_code, 1);
  sweep::SweepFile file;
  file.source = std::make_shared<const SourceText>("s.toml", "");
  file.apps = {{"none.json", {1, 1}}};
  Applications apps(file);
  const StopRequest stop({});
  EXPECT_FALSE(apps.get(0, 1, stop));
  std::raise(SIGTERM);
  const Expected<ReadyApplication> none = apps.get(0, 1, stop);
  ASSERT_TRUE(none) << render(none.error());
  EXPECT_EQ(*none, nullptr);
}

TEST_F(Preparation, NamesEveryErrorOfAllApplications) {
  const auto sweep = prepare("\"one.json\", " + scale() + ", \"two.json\", " + scale(), StopRequest({}));
  ASSERT_FALSE(sweep);
  EXPECT_EQ(sweep.error().exit_code, 1);
  const std::string& message = sweep.error().message;
  const std::size_t one = message.find("'one.json': "), two = message.find("'two.json': "),
                    repeated = message.find("a second application called 'scale'");
  EXPECT_LT(one, two) << message;
  EXPECT_LT(two, repeated) << message;
  EXPECT_NE(repeated, std::string::npos) << message;
}

} // namespace
} // namespace kerncast::app
