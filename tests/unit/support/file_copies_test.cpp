// What one process has read, another need not read again.
#include <gtest/gtest.h>

#include "../../temporary_folder.h"
#include "support/file_copies.h"
#include "support/files.h"

namespace kerncast {
namespace {

TEST(file_copies, are_read_instead_of_the_files) {
  const test::TemporaryFolder folder;
  const std::filesystem::path first = folder.path() / "first", second = folder.path() / "second";
  const std::string bytes("a\0b\n", 4);
  ASSERT_TRUE(write_file(first, bytes));
  ASSERT_TRUE(write_file(second, ""));
  file_copies::begin();
  ASSERT_TRUE(read_file(first));
  ASSERT_TRUE(read_file(second));
  const std::string copies = file_copies::end();
  EXPECT_EQ(file_copies::end(), ""); // they are given away once

  ASSERT_TRUE(write_file(first, "changed"));
  EXPECT_EQ(read_file(first).value(), "changed");
  file_copies::provide(copies);
  EXPECT_EQ(read_file(first).value(), bytes);
  EXPECT_EQ(read_file(second).value(), "");
  EXPECT_FALSE(read_file(first, 3)); // a limit holds for copies, too
  EXPECT_FALSE(read_file(folder.path() / "third"));
}

TEST(file_copies, of_all_that_was_read_are_known_by_their_paths) {
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "file";
  ASSERT_TRUE(write_file(file, "x"));
  EXPECT_FALSE(file_copies::known().contains(file.string()));
  ASSERT_TRUE(read_file(file));
  EXPECT_TRUE(file_copies::known().contains(file.string()));
}

} // namespace
} // namespace kerncast
