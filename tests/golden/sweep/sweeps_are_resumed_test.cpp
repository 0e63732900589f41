// However often a sweep is stopped, its rows in the end are those of one that was not.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <sys/wait.h>
#include <unistd.h>

#include "sweep_of.h"

namespace kerncast::test {
namespace {

const std::string many =
    "[axes]\nclock_mhz = { from = 500, to = 1500, steps = 11, round = 1 }\n"
    "l2.mib = [0.5, 1, 2, 3]\ndram.latency = { from = 300, to = 600, steps = 4, round = 1 }\n";

const std::string longer =
    "[axes]\nclock_mhz = { from = 500, to = 1500, steps = 61, round = 1 }\n"
    "l2.mib = [0.5, 1, 2, 3]\ndram.latency = { from = 300, to = 600, steps = 4, round = 1 }\n";

// hotspot at 4,004 points: many seconds of work.
std::string much_work(const Folder& folder) {
  return sweep_of(folder,
                  "[axes]\nclock_mhz = { from = 500, to = 1500, steps = 1001, round = 1 }\n"
                  "dram.latency = [300, 400, 500, 600]\n",
                  "titan-x", "grid", data("../../../apps/workloads/rodinia/hotspot/app.json"));
}

std::string csv_of(const std::string& file, const std::string& results) {
  const Ended swept = kerncast("sweep " + file + " -o " + results + " --csv - --json /dev/null");
  EXPECT_EQ(swept.exit_code, 0) << swept.err;
  return swept.out;
}

// Starts the program itself, so that a signal reaches it and not a shell.
pid_t start(const std::string& file, const std::string& results) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::freopen("/dev/null", "w", stderr);
    ::execl(KERNCAST_BINARY_DIR "/bin/kerncast", "kerncast", "sweep", file.c_str(), "-o", results.c_str(),
            "--json", "/dev/null", "--threads", "2", nullptr);
    ::_exit(127);
  }
  return child;
}

int stop_after(pid_t child, int signal, int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  ::kill(child, signal);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// Every row of the file with its kernels; empty if there is no table yet.
std::set<std::string> rows_in(const std::string& results) {
  std::set<std::string> rows;
  sqlite3* db = nullptr;
  const auto add = [](void* to, int columns, char** cells, char** /*names*/) {
    std::string row;
    for (int c = 0; c < columns; ++c)
      row += std::string(cells[c] == nullptr ? "" : cells[c]) + '|';
    static_cast<std::set<std::string>*>(to)->insert(row);
    return 0;
  };
  if (sqlite3_open_v2(results.c_str(), &db, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK)
    sqlite3_exec(db, "SELECT * FROM results JOIN kernels USING (app, gpu, point)", add, &rows, nullptr);
  sqlite3_close(db);
  return rows;
}

// With KERNCAST_KILLS=50, which tools/test --all sets, as many.
int kills() {
  const char* asked = std::getenv("KERNCAST_KILLS");
  return asked != nullptr ? std::atoi(asked) : 4;
}

TEST(Resuming, KilledSweepsEndWithTheSameRows) {
  const Folder whole;
  const std::string expected = csv_of(sweep_of(whole, longer), whole.path("r.sqlite"));
  const Folder folder;
  const std::string file = sweep_of(folder, longer), results = folder.path("r.sqlite");
  std::mt19937 random(1); // the same moments every time, spread over start, work and end
  std::set<std::string> kept;
  int in_the_middle = 0;
  for (int i = 0; i < kills(); ++i) {
    stop_after(start(file, results), SIGKILL, static_cast<int>(random() % 800));
    const std::set<std::string> now = rows_in(results);
    EXPECT_TRUE(std::includes(now.begin(), now.end(), kept.begin(), kept.end())) << "kill " << i;
    in_the_middle += now.size() > kept.size() && now.size() < 976 ? 1 : 0;
    kept = now;
    if (i % 10 == 9) {
      EXPECT_EQ(csv_of(file, results), expected);
      std::filesystem::remove(results);
      kept.clear();
    }
  }
  RecordProperty("kills_in_the_middle_of_work", in_the_middle);
  EXPECT_EQ(csv_of(file, results), expected);
}

TEST(Resuming, EarlyWarningsEndWith75OrWithEverything) {
  for (const int signal : {SIGTERM, SIGUSR1}) {
    const Folder folder;
    const std::string file = sweep_of(folder, many), results = folder.path("r.sqlite");
    const int code = stop_after(start(file, results), signal, 700);
    EXPECT_TRUE(code == 75 || code == 0 || code == -signal) << code; // before it listens, after it is done
    EXPECT_NE(csv_of(file, results), "");
  }
}

TEST(Resuming, NothingIsComputedTwice) {
  const Folder folder;
  const std::string file = sweep_of(folder, small_axes), results = folder.path("r.sqlite");
  const std::string first = kerncast("sweep " + file + " -o " + results).out;
  EXPECT_TRUE(first.starts_with("t: 1 application, 1 GPU, 6 points: 6 rows, 6 of them computed now\n"))
      << first;
  const std::string second = kerncast("sweep " + file + " -o " + results).out;
  EXPECT_TRUE(second.starts_with("t: 1 application, 1 GPU, 6 points: 6 rows, 0 of them computed now\n"))
      << second;
}

TEST(Resuming, OtherFilesAreRefused) {
  const Folder folder;
  const std::string results = folder.path("r.sqlite");
  ASSERT_EQ(kerncast("sweep " + sweep_of(folder, small_axes) + " -o " + results).exit_code, 0);
  const Ended other = kerncast("sweep " + sweep_of(folder, "[axes]\nsms = [3]\n") + " -o " + results);
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_NE(other.err.find("r.sqlite: error: the results of another sweep, 't'"), std::string::npos)
      << other.err;
}

TEST(Resuming, ASecondJobOnTheFileIsRefusedAndTheFirstGoesOn) {
  const Folder folder;
  const std::string file = sweep_of(folder, many), results = folder.path("r.sqlite");
  const pid_t first = start(file, results);
  while (rows_in(results).empty() && ::kill(first, 0) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ::kill(first, SIGSTOP); // however fast the machine, it is in the middle
  const Ended second = kerncast("sweep " + file + " -o " + results);
  ::kill(first, SIGCONT);
  int status = 0;
  ::waitpid(first, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_NE(second.err.find("r.sqlite: error: another job writes to this file"), std::string::npos)
      << second.err;
  const Folder whole;
  EXPECT_EQ(csv_of(file, results), csv_of(sweep_of(whole, many), whole.path("r.sqlite")));
}

TEST(Resuming, ADamagedFileAndAFolderThatIsReadOnlyAreRefused) {
  const Folder folder;
  const std::string file = sweep_of(folder, many), results = folder.path("r.sqlite");
  csv_of(file, results);
  std::fstream(results, std::ios::in | std::ios::out | std::ios::binary).seekp(4096)
      << std::string(4096 * 2, 'x');
  const Ended damaged = kerncast("sweep " + file + " -o " + results);
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_NE(damaged.err.find("r.sqlite: error: a damaged result file"), std::string::npos) << damaged.err;
  EXPECT_NE(damaged.err.find("nothing in it was changed"), std::string::npos) << damaged.err;
  const Ended read_only = kerncast("sweep " + file + " -o /proc/r.sqlite"); // also for root
  EXPECT_EQ(read_only.exit_code, 1);
  EXPECT_NE(read_only.err.find("/proc/r.sqlite: error: cannot write"), std::string::npos) << read_only.err;
}

TEST(Resuming, AFullDiskIsSaidAndWhatWasFinishedIsKept) {
  const Folder folder;
  const std::string file = sweep_of(folder, many), results = folder.path("r.sqlite");
  // A limit of the file's size stands for a disk that is full: 64 KiB hold some rows.
  const Ended full = kerncast("sweep " + file + " -o " + results, "ulimit -f 64;");
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_NE(full.err.find("r.sqlite: error: cannot"), std::string::npos) << full.err;
  EXPECT_NE(full.err.find("what was finished is kept"), std::string::npos) << full.err;
  const Folder whole;
  EXPECT_EQ(csv_of(file, results), csv_of(sweep_of(whole, many), whole.path("r.sqlite")));
}

// However fast the machine, rank 1 is killed before it can be done: it needs longer to join the job.
TEST(Resuming, ALostRankEndsTheJobAndKeepsItsRows) {
  const Folder folder;
  const std::string file = sweep_of(folder, many), results = folder.path("r.sqlite");
  const std::string rank_1 = "-n 1 timeout -s KILL 0.2 " KERNCAST_BINARY_DIR "/bin/kerncast sweep " + file +
                             " -o " + results + " --threads 1";
  const Ended lost = kerncast("sweep " + file + " -o " + results + " --threads 1 : " + rank_1, mpirun + "1");
  EXPECT_NE(lost.exit_code, 0);
  EXPECT_NE(lost.err, "");
  const Folder whole;
  EXPECT_EQ(csv_of(file, results), csv_of(sweep_of(whole, many), whole.path("r.sqlite")));
}

// In the middle of its work: there is much more of it than a second's.
TEST(Resuming, ALostRankIsNamedAndSoAreTheRowsThatAreKept) {
  const Folder folder;
  const std::string file = much_work(folder), results = folder.path("r.sqlite");
  const std::string arguments = "sweep " + file + " -o " + results + " --threads 1";
  const Ended lost =
      kerncast(arguments + " : -n 1 timeout -s KILL 4 " KERNCAST_BINARY_DIR "/bin/kerncast " + arguments,
               mpirun + "1");
  EXPECT_EQ(lost.exit_code, 128 + SIGKILL) << lost.err; // mpirun's, which is that of the rank
  EXPECT_NE(lost.err.find("rank 1 "), std::string::npos) << lost.err;
  const std::size_t note = lost.err.find(" rows are kept");
  ASSERT_NE(note, std::string::npos) << lost.err;
  const std::size_t kept = std::stoul(lost.err.substr(lost.err.rfind(' ', note - 1) + 1));
  EXPECT_GE(rows_in(results).size(), kept);
}

TEST(Resuming, ATimeLimitEndsWith75AndTheNextJobGoesOn) {
  const Folder folder;
  const std::string file = much_work(folder), results = folder.path("r.sqlite");
  const std::string command = "sweep " + file + " -o " + results + " --threads 1 --time-limit 3s";
  std::set<std::string> kept;
  for (int job = 0; job < 2; ++job) {
    const Ended stopped = kerncast(command);
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

TEST(Resuming, JobsThatReachTheirTimeLimitEndWithTheSameRows) {
  const Folder whole;
  const std::string expected = csv_of(sweep_of(whole, longer), whole.path("r.sqlite"));
  const Folder folder;
  const std::string file = sweep_of(folder, longer), results = folder.path("r.sqlite");
  int code = 75;
  for (int job = 0; job < 100 && code == 75; ++job)
    code = kerncast("sweep " + file + " -o " + results + " --threads 1 --time-limit 1s").exit_code;
  EXPECT_EQ(code, 0);
  EXPECT_EQ(csv_of(file, results), expected);
}

// `script` is a terminal for the command, and shows what it shows.
TEST(Progress, IsABarWithRateAndTimeLeftOnATerminalAndSilentForAMinuteElsewhere) {
  const Folder folder;
  const std::string arguments =
      "sweep " + much_work(folder) + " -o " + folder.path("r.sqlite") + " --threads 1 --time-limit 3s";
  const Ended shown = kerncast(arguments + "' /dev/null", "script -qec '");
  EXPECT_EQ(shown.exit_code, 75);
  EXPECT_NE(shown.out.find("\r[-"), std::string::npos) << shown.out;
  for (const char* part : {" of 4004 rows, ", " a second, ", "left"})
    EXPECT_NE(shown.out.find(part), std::string::npos) << part << " in " << shown.out;
  const Ended logged = kerncast(arguments);
  EXPECT_EQ(logged.exit_code, 75);
  EXPECT_EQ(logged.err.find(" a second"), std::string::npos) << logged.err;
}

TEST(Resuming, TimeLimitsAreTimes) {
  const Folder folder;
  const std::string file = sweep_of(folder, small_axes), results = folder.path("r.sqlite");
  const Ended wrong = kerncast("sweep " + file + " -o " + results + " --time-limit soon");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_NE(wrong.err.find("'soon' is no time"), std::string::npos);
  EXPECT_EQ(kerncast("sweep " + file + " -o " + results + " --time-limit 1:00:00").exit_code, 0);
}

} // namespace
} // namespace kerncast::test
