// Every input of the fuzzer's corpus and every container of tests/data is read, whole and cut off at many
// places, without a crash.
#include <filesystem>

#include <gtest/gtest.h>

#include "support/files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace kerncast::containers {
namespace {

std::size_t replay(const char* folder) {
  constexpr std::size_t step = 61;
  std::size_t inputs = 0;
  const std::filesystem::path path = std::filesystem::path(KERNCAST_SOURCE_DIR) / folder;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    const auto bytes = read_file(entry.path());
    EXPECT_TRUE(bytes) << entry.path();
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes->data());
    for (std::size_t size = bytes->size() % step; size <= bytes->size(); size += step)
      EXPECT_EQ(LLVMFuzzerTestOneInput(data, size), 0) << entry.path();
    ++inputs;
  }
  return inputs;
}

TEST(ContainerCorpus, is_replayed_without_a_crash) { EXPECT_GE(replay("tests/fuzz/containers/corpus"), 8U); }

TEST(ContainerFiles, may_end_anywhere) { EXPECT_GE(replay("tests/data/containers"), 12U); }

} // namespace
} // namespace kerncast::containers
