// A job that is asked to stop before it computes anything ends with exit code 75, on all ranks.
//
// The sweep file is a pipe: who reads it has begun, and waits for the test.
#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "started_sweep.h"
#include "sweep_of.h"

namespace kerncast::test {
namespace {

class SweepPipe {
public:
  explicit SweepPipe(const Folder& folder) : path_(folder.path("pipe")), text_(read(sweep_of(folder, many))) {
    ::mkfifo(path_.c_str(), 0600);
  }
  const std::string& path() const { return path_; }

  // Waits until somebody reads, or nobody will any more; `meanwhile` before there is anything to read.
  void feed(const std::function<bool()>& has_ended, const std::function<void()>& meanwhile) const {
    int pipe = -1;
    while ((pipe = ::open(path_.c_str(), O_WRONLY | O_NONBLOCK)) < 0 && !has_ended())
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (pipe < 0)
      return;
    meanwhile();
    EXPECT_EQ(::write(pipe, text_.data(), text_.size()), static_cast<ssize_t>(text_.size()));
    ::close(pipe);
  }

private:
  std::string path_, text_;
};

TEST(StoppedWhilePreparing, JobsOfOneRankEndWith75) {
  for (const auto& [signal, name] :
       {std::pair(SIGTERM, "SIGTERM"), {SIGINT, "SIGINT"}, {SIGUSR1, "SIGUSR1"}}) {
    const Folder folder;
    const SweepPipe sweep(folder);
    const pid_t job = start_sweep(sweep.path(), folder.path("r.sqlite"), {}, folder.path("err"));
    sweep.feed([&] { return has_ended(job); }, [&, number = signal] { ::kill(job, number); });
    EXPECT_EQ(end_of(job), 75);
    EXPECT_EQ(read(folder.path("err")), std::string("note: stopped by ") + name +
                                            " before this job computed a row\n"
                                            "note: ask again to go on\n");
  }
}

TEST(StoppedWhilePreparing, JobsPastTheirTimeLimitEndWith75) {
  const Folder folder;
  const SweepPipe sweep(folder);
  const pid_t job =
      start_sweep(sweep.path(), folder.path("r.sqlite"), {"--time-limit", "1s"}, folder.path("err"));
  // Its time began before it read.
  sweep.feed([&] { return has_ended(job); }, [] { std::this_thread::sleep_for(std::chrono::seconds(1)); });
  EXPECT_EQ(end_of(job), 75);
  EXPECT_NE(read(folder.path("err")).find("note: stopped by --time-limit before this job computed a row"),
            std::string::npos);
}

// Rank 0 reads; the other one waits for it.
TEST(StoppedWhilePreparing, AllRanksEndWhicheverIsAsked) {
  for (const std::string asked : {"0", "1"}) {
    const Folder folder;
    const SweepPipe sweep(folder);
    const std::string rank = "sh -c 'echo $$ >" + folder.path("pid") +
                             ".$OMPI_COMM_WORLD_RANK; exec " KERNCAST_BINARY_DIR "/bin/kerncast sweep " +
                             sweep.path() + " -o " + folder.path("r.sqlite") + " --threads 1'";
    std::future<Ended> job = std::async(std::launch::async, [&] { return run(on_ranks(2) + " " + rank); });
    sweep.feed([&] { return job.wait_for(std::chrono::seconds(0)) == std::future_status::ready; },
               [&] { ::kill(static_cast<pid_t>(std::stol(read(folder.path("pid." + asked)))), SIGTERM); });
    const Ended stopped = job.get();
    EXPECT_EQ(stopped.exit_code, 75) << stopped.err;
    EXPECT_NE(stopped.err.find("note: stopped by SIGTERM before this job computed a row"), std::string::npos)
        << stopped.err;
  }
}

} // namespace
} // namespace kerncast::test
