// --time-limit ends a job with exit code 75, and the next one goes on. How far a job comes in a time is up to
// the machine: those that came nowhere are asked again with twice as long.
#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "sweep_of.h"
#include "swept_rows.h"

namespace kerncast::test {
namespace {

// Jobs with limits of 1 s, 2 s, 4 s, ... until one came as far as that; the last of them.
Ended with_time_enough(const std::function<Ended(const std::string& limit)>& job,
                       const std::function<bool(const Ended&)>& enough) {
  constexpr int longest = 512;
  Ended ended;
  for (int seconds = 1; seconds <= longest; seconds *= 2)
    if (ended = job(" --time-limit " + std::to_string(seconds) + "s"); enough(ended))
      break;
  return ended;
}

TEST(TimeLimits, EndWith75AndTheNextJobGoesOn) {
  const Folder folder;
  const std::string results = folder.path("r.sqlite");
  const std::string command = "sweep " + much_work(folder) + " -o " + results + " --threads 1";
  std::set<std::string> kept;
  for (int job = 0; job < 2; ++job) {
    const Ended stopped =
        with_time_enough([&](const std::string& limit) { return kerncast(command + limit); },
                         [&](const Ended&) { return rows_in(results).size() > kept.size(); });
    EXPECT_EQ(stopped.exit_code, 75) << stopped.err;
    EXPECT_EQ(stopped.out, "");
    EXPECT_NE(stopped.err.find("note: stopped by --time-limit: "), std::string::npos) << stopped.err;
    const std::set<std::string> now = rows_in(results);
    EXPECT_NE(stopped.err.find(std::to_string(now.size()) + " of 4004 rows are in "), std::string::npos)
        << stopped.err;
    EXPECT_TRUE(std::includes(now.begin(), now.end(), kept.begin(), kept.end()));
    EXPECT_GT(now.size(), kept.size());
    kept = now;
  }
}

TEST(TimeLimits, EndJobsWithTheSameRows) {
  const Folder whole;
  const std::string expected = csv_of(sweep_of(whole, longer), whole.path("r.sqlite"));
  const Folder folder;
  const std::string file = sweep_of(folder, longer), results = folder.path("r.sqlite");
  const Ended last = with_time_enough(
      [&](const std::string& limit) {
        return kerncast("sweep " + file + " -o " + results + " --threads 1" + limit);
      },
      [](const Ended& ended) { return ended.exit_code != 75; });
  EXPECT_EQ(last.exit_code, 0) << last.err;
  EXPECT_EQ(csv_of(file, results), expected);
}

// `script` is a terminal for the command, and shows what it shows.
TEST(Progress, IsABarWithRateAndTimeLeftOnATerminalAndSilentForAMinuteElsewhere) {
  const Folder folder;
  const std::string arguments =
      "sweep " + much_work(folder) + " -o " + folder.path("r.sqlite") + " --threads 1";
  const Ended shown = with_time_enough(
      [&](const std::string& limit) { return kerncast(arguments + limit + "' /dev/null", "script -qec '"); },
      [](const Ended& ended) { return ended.out.find(" of 4004 rows, ") != std::string::npos; });
  EXPECT_EQ(shown.exit_code, 75);
  EXPECT_NE(shown.out.find("\r[-"), std::string::npos) << shown.out;
  for (const char* part : {" of 4004 rows, ", " a second, ", "left"})
    EXPECT_NE(shown.out.find(part), std::string::npos) << part << " in " << shown.out;
  const Ended logged = kerncast(arguments + " --time-limit 3s");
  EXPECT_EQ(logged.exit_code, 75);
  EXPECT_EQ(logged.err.find(" a second"), std::string::npos) << logged.err;
}

TEST(TimeLimits, AreTimes) {
  const Folder folder;
  const std::string file = sweep_of(folder, small_axes), results = folder.path("r.sqlite");
  for (const std::string limit : {"soon", "3000000h", "999999999:00:00", "0s"}) {
    const Ended wrong = kerncast("sweep " + file + " -o " + results + " --time-limit " + limit);
    EXPECT_EQ(wrong.exit_code, 1) << limit;
    EXPECT_NE(wrong.err.find("'" + limit + "' is no time"), std::string::npos) << wrong.err;
  }
  const Ended empty = kerncast("sweep " + file + " -o " + results + " --time-limit ''");
  EXPECT_EQ(empty.exit_code, 2) << "as a script's variable that is not set";
  EXPECT_NE(empty.err.find("--time-limit: is empty"), std::string::npos) << empty.err;
  EXPECT_EQ(kerncast("sweep " + file + " -o " + results + " --time-limit 1:00:00").exit_code, 0);
}

} // namespace
} // namespace kerncast::test
