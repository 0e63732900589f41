// One rank that is asked to stop ends a job in the middle of its work, whichever rank it is and however many
// threads work on it.
#include <chrono>
#include <csignal>
#include <future>

#include <gtest/gtest.h>

#include "sweep_of.h"
#include "swept_rows.h"

namespace kerncast::test {
namespace {

// hotspot on 64 L1s and L2s with 77 clocks: all threads find hit rates first.
std::string many_groups(const Folder& folder) {
  return sweep_of(folder,
                  "[axes]\nclock_mhz = { from = 500, to = 1500, steps = 77, round = 1 }\n"
                  "l1.kib = { from = 24, to = 48, steps = 8, round = 3 }\n"
                  "l2.mib = { from = 1, to = 3, steps = 8 , round = 0.25}\n",
                  "titan-x", "grid", data("../../../apps/workloads/rodinia/hotspot/app.json"));
}

TEST(StoppedRanks, EndTheJobWithWhatWasFinished) {
  for (const std::string asked : {"0", "1"}) {
    const Folder folder;
    const std::string file = many_groups(folder), results = folder.path("r.sqlite");
    const std::string rank = "sh -c 'echo $$ >" + folder.path("pid") +
                             ".$OMPI_COMM_WORLD_RANK; exec " KERNCAST_BINARY_DIR "/bin/kerncast sweep " +
                             file + " -o " + results + " --threads 3'";
    // Workers that nobody tells to stop would wait for ever: mpirun then ends them with another exit code.
    std::future<Ended> job = std::async(
        std::launch::async, [&] { return run("MPIEXEC_TIMEOUT=300 " + on_ranks(2) + " " + rank); });
    while (rows_in(results).empty() &&
           job.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready)
      continue;
    ::kill(static_cast<pid_t>(std::stol(read(folder.path("pid." + asked)))), SIGTERM);
    const Ended stopped = job.get();
    EXPECT_EQ(stopped.exit_code, 75) << stopped.err;
    EXPECT_NE(stopped.err.find("note: stopped by SIGTERM: "), std::string::npos) << stopped.err;
    EXPECT_EQ(stopped.err.find("launcher"), std::string::npos) << stopped.err;
    const std::size_t kept = rows_in(results).size();
    EXPECT_GT(kept, 0U);
    EXPECT_NE(stopped.err.find(std::to_string(kept) + " of "), std::string::npos) << stopped.err;
  }
}

} // namespace
} // namespace kerncast::test
