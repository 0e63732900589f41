// Compiled kernels and the tasklists they lower to, side by side in tests/data/tasklist/kernels:
// NAME.cu, NAME.ptx (nvcc 13.0 -arch=sm_75 -lineinfo -ptx), NAME.tasklist. After a change that is meant to
// alter a tasklist, take over what the failed test prints and read the difference.
#include <gtest/gtest.h>

#include "lowering/lower.h"
#include "ptx_parser/parser.h"
#include "support/files.h"
#include "tasklist/text.h"
#include "tasklist/verify.h"

namespace kerncast::lowering {
namespace {

std::string read(const std::string& name) {
  const auto text =
      read_file(std::filesystem::path(KERNCAST_SOURCE_DIR) / "tests/data/tasklist/kernels" / name);
  EXPECT_TRUE(text.has_value()) << (text ? "" : render(text.error()));
  return text.value_or("");
}

class CompiledKernel : public testing::TestWithParam<const char*> {};

TEST_P(CompiledKernel, lowers_to_its_tasklist) {
  const std::string name = GetParam();
  const auto module = ptx::parse(SourceText(name + ".ptx", read(name + ".ptx")));
  ASSERT_TRUE(module) << render(module.error());
  const auto kernel = select_kernel(*module, name);
  ASSERT_TRUE(kernel) << render(kernel.error());
  const auto list = lower(*module, **kernel);
  ASSERT_TRUE(list) << render(list.error());
  const auto verified = tasklist::verify(*list);
  EXPECT_TRUE(verified) << (verified ? "" : render(verified.error()));
  EXPECT_EQ(tasklist::write_text(*list), read(name + ".tasklist"));
}

TEST_P(CompiledKernel, keeps_every_instruction_as_written) {
  const std::string name = GetParam();
  const auto module = ptx::parse(SourceText(name + ".ptx", read(name + ".ptx")));
  ASSERT_TRUE(module) << render(module.error());
  const auto list = lower(*module, **select_kernel(*module, name), {.clean_up = false});
  ASSERT_TRUE(list) << render(list.error());
  const auto verified = tasklist::verify(*list);
  EXPECT_TRUE(verified) << (verified ? "" : render(verified.error()));
  std::uint32_t instructions = 0;
  for (const tasklist::Block& block : list->blocks) {
    instructions += block.instruction_count;
  }
  EXPECT_EQ(list->tasks.size(), instructions);
}

INSTANTIATE_TEST_SUITE_P(all, CompiledKernel, testing::Values("wavefront", "stencil", "helpers"));

} // namespace
} // namespace kerncast::lowering
