// PPT-GPU's Table 1, from PTX to the printed lines.
#include "lower_ptx.h"
#include "support/files.h"
#include "tasklist/paper_form.h"

namespace kerncast::lowering {
namespace {

tasklist::Tasklist table_1(const LowerOptions& options) {
  auto text = read_source(std::filesystem::path(KERNCAST_SOURCE_DIR) / "tests/data/tasklist/table_1.ptx");
  EXPECT_TRUE(text.has_value());
  return lower_module(std::string(text->text()), options);
}

TEST(Table1, is_printed_exactly_with_and_without_clean_up) {
  const char* const expected = "[GLOB_MEM_ACCESS, LOAD]\n"
                               "[GLOB_MEM_ACCESS, LOAD]\n"
                               "[iALU, 1, 2]\n"
                               "[iALU, 3]\n"
                               "[GLOB_MEM_ACCESS, STORE, 4]\n";
  EXPECT_EQ(write_paper(table_1(as_written)), expected);
  EXPECT_EQ(write_paper(table_1({})), expected);
}

TEST(Table1, is_printed_exactly_with_the_latencies_of_maxwell) {
  const auto list = table_1(as_written);
  const auto maxwell = [&](const tasklist::Task& task) -> std::optional<double> {
    return list.operations[task.operation] == "add.s32" ? 6 : 13; // Table 2: iADD 6, iMUL 13
  };
  EXPECT_EQ(write_paper(list, maxwell), "[GLOB_MEM_ACCESS, LOAD]\n"
                                        "[GLOB_MEM_ACCESS, LOAD]\n"
                                        "[iALU, 6, 1, 2]\n"
                                        "[iALU, 13, 3]\n"
                                        "[GLOB_MEM_ACCESS, STORE, 4]\n");
}

} // namespace
} // namespace kerncast::lowering
