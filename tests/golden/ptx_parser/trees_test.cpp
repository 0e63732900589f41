// The trees of tests/data/ptx/golden/*.ptx are the *.tree files beside them, their printed text is in
// *.printed. KERNCAST_UPDATE_GOLDEN=1 in the environment writes the files anew instead of comparing.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "dump.h"
#include "ptx_parser/parser.h"
#include "ptx_parser/printer.h"
#include "support/files.h"

namespace kerncast::ptx {
namespace {

class Trees : public testing::TestWithParam<const char*> {
protected:
  static std::filesystem::path file(std::string_view extension) {
    return std::filesystem::path(KERNCAST_SOURCE_DIR) / "tests/data/ptx/golden" /
           (std::string(GetParam()) + std::string(extension));
  }
  static Module read_module() {
    auto module =
        read_source(file(".ptx")).and_then([](SourceText source) { return parse(std::move(source)); });
    EXPECT_TRUE(module) << render(module ? Diagnostics{} : module.error());
    return module ? std::move(*module) : Module{};
  }
  static void expect_recorded(const std::filesystem::path& recorded, const std::string& text) {
    if (std::getenv("KERNCAST_UPDATE_GOLDEN") != nullptr) {
      ASSERT_TRUE(write_file(recorded, text));
    }
    const auto expected = read_file(recorded);
    ASSERT_TRUE(expected) << render(expected.error());
    EXPECT_EQ(text, *expected);
  }
};

TEST_P(Trees, are_as_recorded) { expect_recorded(file(".tree"), dump(read_module())); }

TEST_P(Trees, are_printed_as_recorded) { expect_recorded(file(".printed"), print(read_module())); }

INSTANTIATE_TEST_SUITE_P(files, Trees,
                         testing::Values("declarations", "control_flow", "calls", "operands",
                                         "debug_and_abi"));

} // namespace
} // namespace kerncast::ptx
