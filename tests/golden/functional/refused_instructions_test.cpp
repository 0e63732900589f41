// docs/not-executed.md lists the forms of instructions that functional execution refuses, found with the
// examples of every row of the parser's syntax table. KERNCAST_UPDATE_GOLDEN=1 in the environment writes it
// anew instead of comparing.
//
//   | `stacksave.[u32 u64] d` | all |
#include <cstdlib>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../../unit/lowered_kernel.h"
#include "../../unit/ptx_parser/row_examples.h"
#include "warp/decode.h"

namespace kerncast::warp {
namespace {

constexpr const char* introduction =
    "# Instructions that functional execution does not know\n"
    "\n"
    "Written by `tests/golden/functional` from the examples in `tests/data/ptx/rows`; do not edit it. Where\n"
    "`kerncast run` reaches one of these forms it ends with an error that names the instruction and its "
    "line,\n"
    "kernel, CTA and thread; everything else of PTX ISA 9.2 is executed. `kerncast predict` needs no values "
    "of\n"
    "them: what they write is unknown to it.\n"
    "\n"
    "| form, as the parser's table has it | refused |\n"
    "|---|---|\n";

bool is_refused(const std::string& head, const std::string& statement) {
  const auto kernel = test::LoweredKernel::of_text(head + statement + "\nret;\n}\n");
  const Program program = decode(kernel.module(), kernel.function(), kernel.list(), Scope::everything);
  return std::any_of(program.stops.begin(), program.stops.end(), [](const std::string& why) {
    return why.find("is not supported") != std::string::npos;
  });
}

struct Row {
  std::size_t examples = 0;
  std::vector<std::string> refused;
};

// In the order of the opcodes.
std::map<std::string, Row> rows() {
  std::map<std::string, Row> all;
  for (const ptx::ExampleFile& file : ptx::example_files(KERNCAST_SOURCE_DIR "/tests/data/ptx/rows"))
    for (const ptx::RowExamples& examples : file.rows) {
      Row& row = all[examples.row];
      row.examples += examples.accepted.size();
      for (const std::string& statement : examples.accepted)
        if (is_refused(file.head, statement))
          row.refused.push_back(statement);
    }
  return all;
}

// `|` parts columns.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|')
      out += '\\';
    out += c;
  }
  return out;
}

std::string manual() {
  constexpr std::size_t most_shown = 3;
  std::string text = introduction;
  for (const auto& [name, row] : rows()) {
    if (row.refused.empty())
      continue;
    text += fmt::format("| `{}` | ", escaped(name));
    if (row.refused.size() == row.examples)
      text += "all";
    for (std::size_t r = 0; r < std::min(most_shown, row.refused.size()) && row.refused.size() < row.examples;
         ++r)
      text += fmt::format("{}`{}`", r > 0 ? ", " : "", escaped(row.refused[r]));
    text += " |\n";
  }
  return text;
}

TEST(RefusedInstructions, AreThoseOfTheManual) {
  const std::filesystem::path file = std::filesystem::path(KERNCAST_SOURCE_DIR) / "docs/not-executed.md";
  const std::string text = manual();
  if (std::getenv("KERNCAST_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(file, text));
  }
  const auto recorded = read_file(file);
  ASSERT_TRUE(recorded) << render(recorded.error());
  EXPECT_EQ(text, *recorded);
}

} // namespace
} // namespace kerncast::warp
