// Every row of the syntax table has examples in tests/data/ptx/rows that are accepted without a warning, and
// examples that are refused for the reason written below them. All were put to ptxas 13.0, with the same
// result, but those of rows that came with PTX 9.1 and later, which are after the manual.
#include "ptx_text.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "row_examples.h"
#include "syntax_table.h"

namespace kerncast::ptx {
namespace {

const std::vector<ExampleFile>& files() {
  static const std::vector<ExampleFile> all = example_files(KERNCAST_SOURCE_DIR "/tests/data/ptx/rows");
  return all;
}

// Does the opcode consist of the row's modifiers in their order? Slots of one group are all there or none.
bool has_form_of(const SyntaxTable& table, const Row& row, std::span<const std::string> modifiers) {
  const auto slots = std::span(table.slots).subspan(row.slots.begin, row.slots.count);
  std::set<std::size_t> ends = {0}; // modifiers used up after the slots so far
  for (std::size_t slot = 0; slot < slots.size();) {
    std::size_t next = slot + 1;
    while (next < slots.size() && slots[slot].group != 0 && slots[next].group == slots[slot].group)
      ++next;
    std::set<std::size_t> reached = slots[slot].group != 0 ? ends : std::set<std::size_t>{};
    for (std::size_t at : ends) {
      bool fits = at + (next - slot) <= modifiers.size();
      for (std::size_t i = slot; fits && i < next; ++i, ++at) {
        const Range r = slots[i].alternatives;
        const auto names = std::span(table.alternatives).subspan(r.begin, r.count);
        fits = std::any_of(names.begin(), names.end(), [&](Modifier m) { return name(m) == modifiers[at]; });
      }
      if (fits)
        reached.insert(at);
    }
    ends = std::move(reached);
    slot = next;
  }
  return ends.contains(modifiers.size());
}

std::vector<std::string> parts_of_opcode(const std::string& statement) {
  std::vector<std::string> parts(1);
  for (const char c : statement.substr(0, statement.find_first_of(" ;")))
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

bool exercises(const SyntaxTable& table, const Row& row, const std::string& statement) {
  const std::vector<std::string> parts = parts_of_opcode(statement);
  return parts.front() == name(row.opcode) && has_form_of(table, row, std::span(parts).subspan(1));
}

TEST(RowExamples, are_there_for_every_row) {
  const SyntaxTable& table = syntax_table();
  std::map<std::string, std::pair<std::size_t, std::size_t>> examples; // accepted, rejected
  for (const ExampleFile& file : files())
    for (const RowExamples& row : file.rows) {
      examples[row.row].first += row.accepted.size();
      examples[row.row].second += row.rejected.size();
    }
  std::size_t rows = 0;
  for (const Row& row : table.rows) {
    if (row.own_operands) // bra, brx.idx and call: functions_and_calls_test.cpp
      continue;
    ++rows;
    const auto [accepted, rejected] = examples[with_single_spaces(row.text)];
    EXPECT_GE(accepted, 1U) << "no accepted example of " << row.text;
    EXPECT_GE(rejected, 1U) << "no rejected example of " << row.text;
  }
  EXPECT_GT(rows, 600U);
}

TEST(RowExamples, stand_under_the_row_that_they_exercise) {
  const SyntaxTable& table = syntax_table();
  std::multimap<std::string, const Row*> rows; // a row of several opcodes is there once for each
  for (const Row& row : table.rows)
    rows.emplace(with_single_spaces(row.text), &row);
  for (const ExampleFile& file : files())
    for (const RowExamples& examples : file.rows) {
      const auto [begin, end] = rows.equal_range(examples.row);
      EXPECT_NE(begin, end) << file.path << ": the table has no row " << examples.row;
      for (const std::string& statement : examples.accepted)
        EXPECT_TRUE(std::any_of(begin, end,
                                [&](const auto& row) { return exercises(table, *row.second, statement); }))
            << statement << "\ndoes not have the form " << examples.row;
    }
}

class ExampleFileOf : public testing::TestWithParam<std::size_t> {};

TEST_P(ExampleFileOf, accepted_statements_need_no_newer_version_or_target) {
  const ExampleFile& file = files()[GetParam()];
  Expected<Module> module = parse(SourceText(file.path, file.text), {0});
  ASSERT_TRUE(module) << render(module.error());
  // Of versions that are known in part.
  std::erase_if(module->warnings,
                [](const Diagnostic& d) { return d.message.starts_with(".version 9.4 is"); });
  EXPECT_EQ(render(module->warnings), "");
  std::size_t accepted = 0;
  for (const RowExamples& row : file.rows)
    accepted += row.accepted.size();
  EXPECT_EQ(module->functions.front().instructions.size(), accepted + 1); // and ret
}

// What the parser says about a statement that it must refuse, with one error.
std::string refusal(const ExampleFile& file, const std::string& statement) {
  const Expected<Module> module = parse(SourceText("", file.head + statement + "\nret;\n}\n"), {0});
  if (module)
    return "it is accepted";
  EXPECT_EQ(module.error().size(), 1U) << render(module.error());
  expect_notes(module.error());
  return module.error().front().message;
}

TEST_P(ExampleFileOf, rejected_statements_are_one_error_each_with_the_message_written_below) {
  const ExampleFile& file = files()[GetParam()];
  std::string updated = file.text;
  for (const RowExamples& row : file.rows)
    for (const Rejected& rejected : row.rejected) {
      const std::string message = refusal(file, rejected.statement);
      EXPECT_EQ(message, rejected.message) << file.path << ": " << rejected.statement;
      const std::size_t at = updated.find("//! " + rejected.statement + "\n") + rejected.statement.size() + 9;
      updated.replace(at, rejected.message.size(), message);
    }
  if (std::getenv("KERNCAST_UPDATE_GOLDEN") != nullptr)
    std::ofstream(file.path) << updated;
}

std::string opcode_of(const std::string& statement) {
  return statement.substr(0, statement.find_first_of(" ;"));
}

// All accepted examples of a file by their opcode, a line each.
std::map<std::string, std::string> accepted_by_opcode(const ExampleFile& file) {
  std::map<std::string, std::string> out;
  for (const RowExamples& row : file.rows)
    for (const std::string& statement : row.accepted)
      out[opcode_of(statement)] += statement + "\n";
  return out;
}

// The parser remembers which types of operands an opcode was found to take; that must let nothing else
// through.
TEST(RowExamples, are_rejected_behind_accepted_ones_of_the_same_opcode_too) {
  std::size_t checked = 0;
  for (const ExampleFile& file : files()) {
    const std::map<std::string, std::string> accepted = accepted_by_opcode(file);
    for (const RowExamples& row : file.rows)
      for (const Rejected& rejected : row.rejected) {
        const auto before = accepted.find(opcode_of(rejected.statement));
        if (before == accepted.end())
          continue;
        ++checked;
        EXPECT_EQ(refusal(file, before->second + rejected.statement), rejected.message)
            << file.path << ": " << rejected.statement;
      }
  }
  EXPECT_GT(checked, 500U);
}

INSTANTIATE_TEST_SUITE_P(rows, ExampleFileOf, testing::Range(std::size_t{0}, files().size()));

TEST(SyntaxTable, has_rows_for_every_opcode) {
  const SyntaxTable& table = syntax_table();
  for (std::size_t i = 0; i < table.rows_of.size(); ++i)
    EXPECT_GT(table.rows_of[i].count, 0U) << name(static_cast<Opcode>(i));
}

} // namespace
} // namespace kerncast::ptx
