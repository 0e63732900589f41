// A rank that is killed ends the job; what was finished is kept, and rank 0 says how much.
#include <chrono>
#include <csignal>
#include <fstream>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "sweep_of.h"
#include "swept_rows.h"

namespace kerncast::test {
namespace {

// Rank 0 runs the program with these arguments, rank 1 does until the file `now` is there: then it dies by
// SIGKILL.
Ended with_rank_1_until(const std::string& now, const std::string& arguments) {
  const std::string killed = "sh -c '" KERNCAST_BINARY_DIR "/bin/kerncast " + arguments +
                             " & until test -e " + now + "; do sleep 0.05; done; kill -KILL $! $$'";
  // What mpirun leaves rank 0 between SIGTERM and SIGKILL is a second unless told.
  return kerncast(arguments + " : -n 1 " + killed, "OMPI_MCA_odls_base_sigkill_timeout=5 " + on_ranks(1));
}

TEST(LostRanks, BeforeTheyJoinTheJobEndItAndKeepItsRows) {
  const Folder folder;
  const std::string file = sweep_of(folder, many), results = folder.path("r.sqlite");
  const Ended lost = with_rank_1_until(file, "sweep " + file + " -o " + results + " --threads 1");
  EXPECT_NE(lost.exit_code, 0);
  EXPECT_NE(lost.err, "");
  const Folder whole;
  EXPECT_EQ(csv_of(file, results), csv_of(sweep_of(whole, many), whole.path("r.sqlite")));
}

TEST(LostRanks, InTheMiddleOfTheirWorkAreNamedAndSoAreTheRowsThatAreKept) {
  const Folder folder;
  const std::string file = much_work(folder), results = folder.path("r.sqlite"), now = folder.path("now");
  std::future<Ended> job = std::async(std::launch::async, [&] {
    return with_rank_1_until(now, "sweep " + file + " -o " + results + " --threads 1");
  });
  while (rows_in(results).empty() && job.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready)
    continue;
  std::ofstream(now) << "kill";
  const Ended lost = job.get();
  EXPECT_EQ(lost.exit_code, 128 + SIGKILL) << lost.err; // mpirun's, which is that of the rank
  EXPECT_NE(lost.err.find("rank 1 "), std::string::npos) << lost.err;
  EXPECT_NE(
      lost.err.find("note: SIGTERM from the launcher of the ranks, which was asked to end them or has lost "
                    "one: "),
      std::string::npos)
      << lost.err;
  const std::size_t note = lost.err.find(" rows are kept");
  ASSERT_NE(note, std::string::npos) << lost.err;
  const std::size_t kept = std::stoul(lost.err.substr(lost.err.rfind(' ', note - 1) + 1));
  EXPECT_GE(rows_in(results).size(), kept);
}

} // namespace
} // namespace kerncast::test
