// apps/workloads/build-ptx --check, with a compiler that gives what is committed, changed in some way.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "../../temporary_folder.h"

namespace kerncast {
namespace {

namespace fs = std::filesystem;

struct Ended {
  int exit_code = 0;
  std::string err;
};

// `change`: a sed expression that the compiler applies to the committed PTX.
Ended build_ptx(const std::string& arguments, const std::string& change) {
  const test::TemporaryFolder folder;
  const fs::path nvcc = folder.path() / "nvcc", err = folder.path() / "err";
  std::ofstream(nvcc) << "#!/usr/bin/env bash\nfor last; do :; done\nwhile [[ $1 != -o ]]; do shift; done\n"
                         "sed -E '"
                      << change << "' \"${last%.cu}.ptx\" > \"$2\"\n";
  fs::permissions(nvcc, fs::perms::owner_all);
  const std::string command = "PATH='" + folder.path().string() +
                              "':\"$PATH\" " KERNCAST_SOURCE_DIR "/apps/workloads/build-ptx " + arguments +
                              " > /dev/null 2> '" + err.string() + "'";
  const int status = std::system(command.c_str());
  std::ifstream said(err);
  return {WEXITSTATUS(status), {std::istreambuf_iterator<char>(said), {}}};
}

TEST(BuildPtx, ComparesButForHashesOfPaths) {
  const Ended same = build_ptx("--check", "s/(95,73,78,84,69,82,78,65,76,95),[0-9]+,/\\1,99,/");
  EXPECT_EQ(same.exit_code, 0) << same.err;
  const Ended other = build_ptx("--check", "s/mul.wide.s32/mul.wide.u32/");
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_NE(other.err.find("is not what nvcc makes of"), std::string::npos) << other.err;
}

TEST(BuildPtx, RefusesWhatItDoesNotKnow) {
  for (const std::string arguments : {"--chek", "--check all", "basic"}) {
    const Ended ended = build_ptx(arguments, "s/$//");
    EXPECT_EQ(ended.exit_code, 1) << arguments;
    EXPECT_NE(ended.err.find("note: usage: apps/workloads/build-ptx [--check]"), std::string::npos)
        << ended.err;
  }
}

} // namespace
} // namespace kerncast
