#include "program.h"

#include <gtest/gtest.h>

namespace kerncast::test {
namespace {

const std::string occupancy_question = "occupancy --gpu unit --block 64 --regs 16";

TEST(Outputs, JsonGoesToTheFileOnly) {
  const Folder folder;
  const Ended ended = kerncast(occupancy_question + " --json " + folder.path("o.json"));
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(read(folder.path("o.json")), kerncast(occupancy_question + " --json -").out);
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(Outputs, ADashAndDevStdoutAreStandardOutput) {
  const std::string dash = kerncast(occupancy_question + " --json -").out;
  EXPECT_EQ(kerncast(occupancy_question + " --json /dev/stdout").out, dash);
  EXPECT_TRUE(dash.starts_with("{"));
}

TEST(Outputs, AFullDeviceIsAnErrorForTablesAndJson) {
  for (const char* option : {"", " --json -"}) {
    const Ended ended = kerncast(occupancy_question + option, "", "/dev/full");
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_NE(ended.err.find("standard output: error: cannot write: No space left on device"),
              std::string::npos)
        << ended.err;
  }
  EXPECT_EQ(kerncast(occupancy_question + " --json /dev/full").exit_code, 1);
}

TEST(Outputs, AFolderThatDoesNotExistIsAnError) {
  const Ended ended = kerncast(occupancy_question + " --json /nonexistent/o.json");
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_TRUE(ended.err.starts_with("/nonexistent/o.json: error: cannot write")) << ended.err;
}

} // namespace
} // namespace kerncast::test
