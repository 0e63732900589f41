// The trees of tests/data/ptx/golden/*.ptx are the *.tree files beside them.
// KERNCAST_UPDATE_GOLDEN=1 in the environment writes the files anew instead of comparing.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "dump.h"
#include "ptx_parser/parser.h"
#include "support/files.h"

namespace kerncast::ptx {
namespace {

class Trees : public testing::TestWithParam<const char*> {};

TEST_P(Trees, are_as_recorded) {
  const std::filesystem::path folder = std::filesystem::path(KERNCAST_SOURCE_DIR) / "tests/data/ptx/golden";
  auto source = read_source(folder / (std::string(GetParam()) + ".ptx"));
  ASSERT_TRUE(source) << render(source.error());
  const auto module = parse(std::move(*source));
  ASSERT_TRUE(module) << render(module.error());
  const std::filesystem::path recorded = folder / (std::string(GetParam()) + ".tree");
  if (std::getenv("KERNCAST_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(recorded, dump(*module)));
  }
  const auto expected = read_file(recorded);
  ASSERT_TRUE(expected) << render(expected.error());
  EXPECT_EQ(dump(*module), *expected);
}

INSTANTIATE_TEST_SUITE_P(files, Trees, testing::Values("declarations", "control_flow", "calls", "operands"));

} // namespace
} // namespace kerncast::ptx
