// Every input of the fuzzer's corpus is parsed and, where it is refused, its errors are rendered.
#include <filesystem>

#include <gtest/gtest.h>

#include "support/files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace kerncast::ptx {
namespace {

TEST(FuzzCorpus, is_replayed_without_a_crash) {
  std::size_t inputs = 0;
  const std::filesystem::path corpus =
      std::filesystem::path(KERNCAST_SOURCE_DIR) / "tests/fuzz/ptx_parser/corpus";
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    const auto text = read_file(entry.path());
    ASSERT_TRUE(text) << entry.path();
    EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text->data()), text->size()), 0);
    ++inputs;
  }
  EXPECT_GE(inputs, 10U);
}

} // namespace
} // namespace kerncast::ptx
