// Every row of the syntax table accepts its shortest and its longest form and refuses one operand too many
// or too few.
#include "ptx_text.h"

#include <fmt/format.h>

#include "signature.h"
#include "syntax_table.h"

namespace kerncast::ptx {
namespace {

std::string opcode_of(const SyntaxTable& table, const Row& row, bool longest) {
  std::string out(name(row.opcode));
  for (const ModifierSlot& slot : std::span(table.slots).subspan(row.slots.begin, row.slots.count))
    if (slot.group == 0 || longest)
      out += "." + std::string(name(table.alternatives[slot.alternatives.begin]));
  return out;
}

std::string scalar(const OperandForm& form) {
  if (form.kind == FormKind::integer_only)
    return "1";
  return fmt::format("r_{}", name(form.type == Type::none ? Type::b32 : form.type));
}

// A register of every type, named after it, r_u32; coordinates are always two of .b32.
std::string operand(const OperandForm& form) {
  if (form.kind == FormKind::address)
    return "[r_b64]";
  if (form.kind == FormKind::address_with_coordinates)
    return "[r_b64, {r_b32, r_b32}]";
  std::string out = scalar(form);
  if (form.max_length > 0) {
    std::string elements = out;
    for (int i = 1; i < form.min_length; ++i)
      elements += ", " + out;
    out = "{" + elements + "}";
  }
  return form.pair == Pair::required ? out + "|r_pred" : out;
}

std::string module_with(const std::string& statement) {
  std::string text = ".version 9.0 .target sm_90a .entry k {\n";
  for (int t = 1; t <= static_cast<int>(Type::pred); ++t)
    text += fmt::format(".reg .{} r_{};\n", name(static_cast<Type>(t)), name(static_cast<Type>(t)));
  return text + statement + "\n}\n";
}

std::string statement(const std::string& opcode, std::vector<std::string> operands) {
  std::string out = opcode;
  for (std::size_t i = 0; i < operands.size(); ++i)
    out += (i == 0 ? " " : ", ") + operands[i];
  return out + ";";
}

class EveryRow : public testing::TestWithParam<bool> {};

TEST_P(EveryRow, accepts_its_own_form_and_refuses_other_counts) {
  const bool longest = GetParam();
  const SyntaxTable& table = syntax_table();
  SignatureCache signatures;
  std::size_t rows = 0;
  for (const Row& row : table.rows) {
    if (row.own_operands)
      continue;
    ++rows;
    const std::string opcode = opcode_of(table, row, longest);
    SignatureError problem;
    const Signature* signature = signatures.find(opcode, problem);
    ASSERT_NE(signature, nullptr) << row.text << "\n" << problem.message;
    // The operand list of this very row has its own number of operands.
    const auto own = std::find_if(signature->operand_lists.begin(), signature->operand_lists.end(),
                                  [&](const auto& forms) { return forms.size() == row.forms.count; });
    ASSERT_NE(own, signature->operand_lists.end()) << row.text;
    std::vector<std::string> operands;
    for (const OperandForm& form : *own)
      if (longest || !form.optional)
        operands.push_back(operand(form));
    EXPECT_EQ(errors_in(module_with(statement(opcode, operands))), "") << row.text;
    while (operands.size() < 40)
      operands.push_back("r_pred");
    EXPECT_NE(errors_in(module_with(statement(opcode, operands))), "") << row.text;
    if (row.forms.count > 0) {
      EXPECT_NE(errors_in(module_with(opcode + ";")), "") << row.text;
    }
  }
  EXPECT_GT(rows, 400U);
}

INSTANTIATE_TEST_SUITE_P(forms, EveryRow, testing::Values(false, true));

TEST(SyntaxTable, has_rows_for_every_opcode) {
  const SyntaxTable& table = syntax_table();
  for (std::size_t i = 0; i < table.rows_of.size(); ++i)
    EXPECT_GT(table.rows_of[i].count, 0U) << name(static_cast<Opcode>(i));
}

} // namespace
} // namespace kerncast::ptx
