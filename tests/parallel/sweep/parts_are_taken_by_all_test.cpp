// Parts of a work that is shared by all ranks go to whichever thread of whichever rank is free.
#include <gtest/gtest.h>

#include <filesystem>

#include "sweep_of.h"

namespace kerncast::test {
namespace {

TEST(Parts, AreTakenByAllThreadsOfAllRanks) {
  for (const auto& [ranks, threads, parts] : {std::tuple(1, 2, "0 1 2 3 4 5 "),
                                              {2, 1, "0 1 2 3 4 5 "},
                                              {2, 2, "0 1 2 3 4 5 6 7 8 9 10 11 "},
                                              {3, 1, "0 1 2 3 4 5 6 7 8 "}}) {
    const Folder folder;
    std::filesystem::create_directory(folder.path("begun"));
    const Ended ended = run(on_ranks(ranks) + " " KERNCAST_BINARY_DIR "/tests/parts_of_all_ranks " +
                            folder.path("begun") + " " + std::to_string(threads));
    EXPECT_EQ(ended.exit_code, 0) << ranks << " ranks " << ended.err;
    EXPECT_EQ(ended.out, parts) << ranks << " ranks";
  }
}

} // namespace
} // namespace kerncast::test
