// 10,000 points take little more memory than 1,000: what a point leaves is its row, its GPU's description and
// the results of its simulations, of which there is a most. What is never given back the leak sanitizer of
// the dev build tells.
#include <cstdlib>

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sweep_of.h"

namespace kerncast::test {
namespace {

// A sweep of a hundred points for each clock, which must end well: most memory that it ever had, in KiB.
long peak_kib(int clocks) {
  const Folder folder;
  const std::string file =
      sweep_of(folder, "[axes]\nclock_mhz = { from = 500, to = 1500, steps = " + std::to_string(clocks) +
                           " }\ndram.latency = { from = 300, to = 399, steps = 100, round = 1 }\n");
  const std::string results = folder.path("r.sqlite");
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl(KERNCAST_BINARY_DIR "/bin/kerncast", "kerncast", "sweep", file.c_str(), "-o", results.c_str(),
            "--json", "/dev/null", "--threads", "2", nullptr);
    ::_exit(127);
  }
  int status = 0;
  rusage used{};
  ::wait4(child, &status, 0, &used);
  EXPECT_EQ(status, 0);
  return used.ru_maxrss;
}

#if !defined(KERNCAST_ADDRESS_SANITIZER) && !defined(KERNCAST_THREAD_SANITIZER)

TEST(Memory, OfTenThousandPointsIsLittleMoreThanThatOfAThousand) {
  const long thousand = peak_kib(10), ten_thousand = peak_kib(100);
  RecordProperty("kib_of_1000_points", static_cast<int>(thousand));
  RecordProperty("kib_of_10000_points", static_cast<int>(ten_thousand));
  constexpr long kib_of_a_point = 4; // its row and the results of its simulations
  EXPECT_LE(ten_thousand - thousand, 9000 * kib_of_a_point);
}

#elif defined(KERNCAST_ADDRESS_SANITIZER)

// The sanitizer ends a program that leaves memory behind with an exit code of its own.
TEST(Memory, OfTenThousandPointsIsGivenBack) {
  if (std::getenv("KERNCAST_LONG") == nullptr)
    GTEST_SKIP() << "takes minutes: KERNCAST_LONG=yes, which tools/test --all sets";
  EXPECT_GT(peak_kib(100), 0);
}

#endif

} // namespace
} // namespace kerncast::test
