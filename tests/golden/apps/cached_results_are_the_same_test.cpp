// --cache DIR changes what is simulated, never what is printed.
#include "program.h"

#include <gtest/gtest.h>

namespace kerncast::test {
namespace {

const std::string explained_pathfinder =
    "predict " KERNCAST_SOURCE_DIR "/apps/workloads/rodinia/pathfinder/app.json --gpu titan-x --explain";

TEST(Cache, HoldsTheSameBytes) {
  const Folder folder;
  const std::string cached = explained_pathfinder + " --cache " + folder.path("results");
  const std::string plain = kerncast(explained_pathfinder).out;
  EXPECT_EQ(kerncast(cached).out, plain);
  EXPECT_EQ(kerncast(cached).out, plain);
  EXPECT_EQ(kerncast(cached + " --threads 8").out, plain);
}

TEST(Cache, MayBeSharedByProcessesAtTheSameTime) {
  const Folder folder;
  const std::string cached = explained_pathfinder + " --cache " + folder.path("results");
  const Ended ended =
      kerncast(cached, "cd " + folder.path("") + " && for i in 1 2 3; do " +
                           KERNCAST_BINARY_DIR "/bin/kerncast " + cached + " >out$i & done; wait;");
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  for (const char* out : {"out1", "out2", "out3"})
    EXPECT_EQ(read(folder.path(out)), ended.out) << out;
}

TEST(Cache, MustBeAFolder) {
  const Folder folder;
  const std::string file = folder.write("file", "x");
  const Ended ended = kerncast(explained_pathfinder + " --cache " + file);
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_NE(ended.err.find("--cache: nothing can be written to " + file), std::string::npos) << ended.err;
  EXPECT_EQ(read(file), "x");
}

} // namespace
} // namespace kerncast::test
