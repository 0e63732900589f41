// However often a sweep is stopped, its rows in the end are those of one that was not.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "started_sweep.h"
#include "sweep_of.h"
#include "swept_rows.h"

namespace kerncast::test {
namespace {

void wait_for_rows(pid_t child, const std::string& results, std::size_t rows) {
  while (rows_in(results).size() < rows && !has_ended(child))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

// With KERNCAST_KILLS=50, which tools/test --all sets, as many.
int kills() {
  const char* asked = std::getenv("KERNCAST_KILLS");
  return asked != nullptr ? std::atoi(asked) : 4;
}

// At any moment, and then again after some rows, however slow the machine.
TEST(Resuming, KilledSweepsEndWithTheSameRows) {
  const Folder whole;
  const std::string expected = csv_of(sweep_of(whole, longer), whole.path("r.sqlite"));
  const Folder folder;
  const std::string file = sweep_of(folder, longer), results = folder.path("r.sqlite");
  std::mt19937 random(1);
  std::set<std::string> kept;
  for (int i = 0; i < kills(); ++i) {
    const pid_t job = start_sweep(file, results);
    if (i % 2 == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 800));
    else
      wait_for_rows(job, results, kept.size() + 1 + random() % 100);
    ::kill(job, SIGKILL);
    const int code = end_of(job);
    const std::set<std::string> now = rows_in(results);
    EXPECT_TRUE(std::includes(now.begin(), now.end(), kept.begin(), kept.end())) << "kill " << i;
    EXPECT_TRUE(i % 2 == 0 || code == 0 || now.size() > kept.size()) << "kill " << i;
    kept = now;
    if (i % 10 == 9) {
      EXPECT_EQ(csv_of(file, results), expected);
      std::filesystem::remove(results);
      kept.clear();
    }
  }
  EXPECT_EQ(csv_of(file, results), expected);
}

TEST(Resuming, EarlyWarningsEndWith75AndWhatWasFinished) {
  const Folder whole;
  const std::string expected = csv_of(sweep_of(whole, longer), whole.path("r.sqlite"));
  for (const int signal : {SIGTERM, SIGUSR1}) {
    const Folder folder;
    const std::string file = sweep_of(folder, longer), results = folder.path("r.sqlite");
    const pid_t job = start_sweep(file, results);
    wait_for_rows(job, results, 1);
    ::kill(job, SIGSTOP); // however fast the machine, it is in the middle
    ::kill(job, signal);
    ::kill(job, SIGCONT);
    EXPECT_EQ(end_of(job), 75);
    const std::size_t kept = rows_in(results).size();
    EXPECT_GT(kept, 0U);
    EXPECT_LT(kept, 976U);
    EXPECT_EQ(csv_of(file, results), expected);
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

// The file is what the host copies to a variable that the kernel's loop depends on.
TEST(Resuming, OtherContentsOfVariablesAreAnotherSweep) {
  const Folder folder;
  folder.write("loop.ptx", R"(.version 7.0
.target sm_52
.address_size 64
.const .align 4 .u32 turns[1];
.visible .entry loop() {
  .reg .pred %p; .reg .b32 %r<3>;
  ld.const.u32 %r1, [turns];
again:
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p, %r1, 0;
  @%p bra again;
  ret;
}
)");
  const std::string app = folder.write("app.json", R"({"format": "kerncast-app/1", "name": "loop",
 "modules": ["loop.ptx"],
 "variables": {"turns": {"bytes": 4, "init": {"kind": "file", "path": "turns.bin"}}},
 "events": [{"op": "kernel", "kernel": "loop", "grid": [1], "block": [32], "args": []}]})");
  const std::string command = "sweep " + sweep_of(folder, "[axes]\nsms = [3]\n", "titan-x", "grid", app) +
                              " -o " + folder.path("r.sqlite");
  folder.write("turns.bin", std::string("\x05\0\0\0", 4));
  ASSERT_EQ(kerncast(command).exit_code, 0) << kerncast(command).err;
  folder.write("turns.bin", std::string("\x09\0\0\0", 4));
  const Ended other = kerncast(command);
  EXPECT_EQ(other.exit_code, 1) << other.out;
  EXPECT_NE(other.err.find("r.sqlite: error: the results of another sweep"), std::string::npos) << other.err;
}

TEST(Resuming, ASecondJobOnTheFileIsRefusedAndTheFirstGoesOn) {
  const Folder folder;
  const std::string file = sweep_of(folder, many), results = folder.path("r.sqlite");
  const pid_t first = start_sweep(file, results);
  wait_for_rows(first, results, 1);
  ::kill(first, SIGSTOP); // however fast the machine, it is in the middle
  const Ended second = kerncast("sweep " + file + " -o " + results);
  ::kill(first, SIGCONT);
  EXPECT_EQ(end_of(first), 0);
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

// At once, and before what is there is lost.
TEST(Resuming, OutputsThatTakeThePlaceOfInputsOrRowsAreRefused) {
  const Folder folder;
  const std::string app = folder.write("scale.json", read(data("scale.json"))),
                    ptx = folder.write("scale.ptx", read(data("scale.ptx"))),
                    gpu = folder.write("own.toml", "inherits = \"titan-x\"\n"),
                    file = sweep_of(folder, small_axes, gpu, "grid", app), results = folder.path("r.sqlite"),
                    link = folder.path("link.csv");
  std::filesystem::create_symlink("r.sqlite", link); // to what is not there yet
  const Ended first = kerncast("sweep " + file + " -o " + results + " --csv " + link);
  EXPECT_NE(first.err.find("is also the file of results"), std::string::npos) << first.err;
  csv_of(file, results);
  const std::string inputs = read(file) + read(app) + read(ptx) + read(gpu), rows = read(results);
  for (const char* option : {"--csv", "--json"})
    for (const auto& [output, why] :
         {std::pair(results, "is also the file of results"),
          {folder.path("../") + file.substr(file.find_last_of('/', file.rfind('/') - 1) + 1),
           "is also the sweep file"},
          {link, "is also the file of results"},
          {results + "-wal", "is also a file that SQLite keeps beside the results"},
          {results + "-shm", "is also a file that SQLite keeps beside the results"},
          {results + "-journal", "is also a file that SQLite keeps beside the results"},
          {app, "is also a file that the sweep reads"},
          {ptx, "is also a file that the sweep reads"},
          {gpu, "is also a file that the sweep reads"},
          {folder.path("none/r.csv"), "lies in no folder that is there"}}) {
      const Ended ended = kerncast("sweep " + file + " -o " + results + " " + option + " " + output);
      EXPECT_EQ(ended.exit_code, 1) << output;
      EXPECT_NE(ended.err.find(std::string("error: ") + option + ": '" + output + "' " + why),
                std::string::npos)
          << ended.err;
    }
  const Ended both = kerncast("sweep " + file + " -o " + results + " --csv - --json -");
  EXPECT_EQ(both.exit_code, 1);
  EXPECT_NE(both.err.find("both are standard output"), std::string::npos) << both.err;
  EXPECT_EQ(read(file) + read(app) + read(ptx) + read(gpu), inputs);
  EXPECT_EQ(read(results), rows);
}

TEST(Resuming, OutputsThatCannotBeWrittenAreRefusedAtOnce) {
  const Folder folder;
  const std::string file = sweep_of(folder, small_axes), results = folder.path("r.sqlite");
  const std::string same = folder.path("same");
  for (const auto& [options, why] :
       {std::pair("-o " + results + " --csv " + same + " --json " + same, "is also the file of --json"),
        {"-o " + results + " --csv " + folder.path("."), "is a directory, not a file"},
        {"-o " + results + " --csv /proc/r.csv", "cannot write"}, // also for root
        {std::string("-o ''"), "error: -o: no file is named"},
        {"-o " + data("scale.ptx"), "is also a file that the sweep reads"}}) {
    const Ended ended = kerncast("sweep " + file + " " + options);
    EXPECT_EQ(ended.exit_code, 1) << options;
    EXPECT_NE(ended.err.find(why), std::string::npos) << ended.err;
  }
  for (const std::string option : {"--csv", "--json", "--cache"}) {
    const Ended empty = kerncast("sweep " + file + " -o " + results + " " + option + " ''");
    EXPECT_EQ(empty.exit_code, 2) << option;
    EXPECT_NE(empty.err.find("error: " + option + ": is empty"), std::string::npos) << empty.err;
  }
  EXPECT_FALSE(std::filesystem::exists(results));
  EXPECT_EQ(folder.entries(), 1U); // the sweep
}

// SQLite would keep them in memory.
TEST(Resuming, ResultsAreInAFileWhateverItsName) {
  const Folder folder;
  const std::string file = sweep_of(folder, small_axes);
  for (const char* name : {":memory:", "file:r.sqlite?mode=memory"}) {
    const std::string command = "sweep " + file + " -o '" + name + "'", there = "cd " + folder.path("") + ";";
    EXPECT_EQ(kerncast(command, there).exit_code, 0);
    EXPECT_NE(kerncast(command, there).out.find(" 0 of them computed now\n"), std::string::npos) << name;
  }
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

} // namespace
} // namespace kerncast::test
