#include "support/files.h"

#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kerncast {
namespace {

namespace fs = std::filesystem;

class WriteFile : public testing::Test {
protected:
  WriteFile() : folder_(fs::path(testing::TempDir()) / ("kerncast_files_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~WriteFile() override { fs::remove_all(folder_); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

TEST_F(WriteFile, ReplacesTheContentsAndLeavesNothingElse) {
  ASSERT_TRUE(write_file(folder_ / "a", "long old contents"));
  ASSERT_TRUE(write_file(folder_ / "a", "new"));
  EXPECT_EQ(read_file(folder_ / "a"), "new");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(WriteFile, AMissingFolderIsAnErrorWithTheName) {
  const Expected<void> written = write_file(folder_ / "none" / "a", "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().front().file, (folder_ / "none" / "a").string());
}

TEST_F(WriteFile, WhatCannotBeWrittenIsKnownBefore) {
  EXPECT_TRUE(check_writable(folder_ / "a"));
  EXPECT_TRUE(check_writable("-"));
  EXPECT_TRUE(check_writable("/dev/null"));
  EXPECT_FALSE(check_writable(folder_ / "none" / "a"));
  EXPECT_FALSE(check_writable(folder_));
  EXPECT_EQ(entries(), 0U);
}

TEST_F(WriteFile, ALinkToWhatIsNotThereYetMakesIt) {
  fs::create_symlink("target", folder_ / "link");
  EXPECT_EQ(written_path(folder_ / "link"), fs::canonical(folder_) / "target");
  ASSERT_TRUE(write_file(folder_ / "link", "new"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(folder_ / "target"), "new");
}

TEST_F(WriteFile, APipeIsWrittenNotReplaced) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = read_file(pipe).value_or("failed"); });
  const bool written = write_file(pipe, "through the pipe").has_value();
  reader.join();
  EXPECT_TRUE(written);
  EXPECT_EQ(read, "through the pipe");
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(entries(), 1U);
}

// As a shell names those of >(command).
TEST_F(WriteFile, APipeIsFoundByItsDescriptor) {
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  const std::string name = "/dev/fd/" + std::to_string(ends[1]);
  EXPECT_TRUE(check_writable(name));
  EXPECT_TRUE(write_file(name, "x"));
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
  for (const int end : ends)
    ::close(end);
}

TEST_F(WriteFile, AFullDeviceIsAnErrorAndStaysADevice) {
  const Expected<void> written = write_file("/dev/full", "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().front().message, "cannot write: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(WriteFile, ALinkKeepsPointingToTheFileThatIsWritten) {
  ASSERT_TRUE(write_file(folder_ / "target", "old"));
  fs::create_symlink(folder_ / "target", folder_ / "link");
  ASSERT_TRUE(write_file(folder_ / "link", "new"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(folder_ / "target"), "new");
}

TEST(ReadFile, ADeviceWithoutEndIsRefusedAtTheLimit) {
  const Expected<std::string> text = read_file("/dev/zero", 1000);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().front().message, "larger than 1000 bytes");
}

TEST(ReadFile, ADirectoryIsNoFile) {
  const Expected<std::string> text = read_file(testing::TempDir());
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().front().message, "is a directory, not a file");
}

} // namespace
} // namespace kerncast
