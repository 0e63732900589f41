// The database is found beside the program, then in $KERNCAST_CONFIG_PATH.
#include <algorithm>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

TEST(ConfigPath, FindsTheDatabaseOfTheBuildTree) {
  EXPECT_THAT(list_gpus(ConfigPath::standard()), testing::IsSupersetOf({"titan-x", "unit"}));
}

TEST(ConfigPath, AddsTheFoldersOfTheEnvironment) {
  const char* before = std::getenv("KERNCAST_CONFIG_PATH");
  const std::string saved = before != nullptr ? before : "";
  setenv("KERNCAST_CONFIG_PATH", "/first::/second", 1);
  const auto folders = ConfigPath::standard().folders();
  if (before != nullptr)
    setenv("KERNCAST_CONFIG_PATH", saved.c_str(), 1);
  else
    unsetenv("KERNCAST_CONFIG_PATH");
  ASSERT_GE(folders.size(), 2U);
  EXPECT_EQ(folders[folders.size() - 2], "/first");
  EXPECT_EQ(folders[folders.size() - 1], "/second");
}

TEST(ConfigPath, ListIsAscendingWithoutBasesAndRepeats) {
  const Sandbox sandbox;
  sandbox.write("gpus/unit.toml", "");
  sandbox.write("gpus/abc.toml", "");
  sandbox.write("gpus/notes.txt", "");
  std::vector<std::string> expected = list_gpus(ConfigPath({shipped}));
  expected.insert(std::upper_bound(expected.begin(), expected.end(), "abc"), "abc");
  EXPECT_EQ(list_gpus(sandbox.path()), expected);
  EXPECT_TRUE(std::is_sorted(expected.begin(), expected.end()));
  EXPECT_THAT(expected, testing::Not(testing::Contains("cc-9.0")));
}

TEST(ConfigPath, EarlierFolderWins) {
  const Sandbox sandbox;
  sandbox.write("gpus/k40m.toml", "inherits = \"unit\"\nsms = 99\n");
  const auto gpu = sandbox.load("k40m");
  ASSERT_TRUE(gpu) << render(gpu.error());
  EXPECT_EQ(gpu->sms, 99U);
}

TEST(ConfigPath, WithoutADatabaseTheMessageSaysHowToStateOne) {
  const auto gpu = load_gpu("titan-x", {}, ConfigPath({}));
  ASSERT_FALSE(gpu);
  EXPECT_EQ(
      render(gpu.error()),
      "error: unknown GPU 'titan-x'\n"
      "note: there is no GPU database: set KERNCAST_CONFIG_PATH to the folder that holds gpus/ and isa/\n"
      "note: 'kerncast gpus list' prints the GPUs; a file's name must end in .toml\n");
}

} // namespace
} // namespace kerncast::configs::test
