// Branches name the label of their own scope or of one around it, forward or backward.
#include "ptx_text.h"

#include <gmock/gmock.h>

namespace kerncast::ptx {
namespace {

using testing::HasSubstr;

// Index of the instruction that branch `instruction` goes to.
std::uint32_t target(const Function& f, std::size_t instruction) {
  const Operand& o = f.operands(f.instructions.at(instruction))[0];
  EXPECT_EQ(o.kind, OperandKind::label);
  return f.labels.at(o.id).instruction;
}

TEST(Labels, go_forward_and_backward) {
  const Function f = parsed_body("B: bra F; bra B; F: exit;");
  EXPECT_EQ(target(f, 0), 2U);
  EXPECT_EQ(target(f, 1), 0U);
}

TEST(Labels, of_sibling_scopes_are_different) {
  const Function f = parsed_body("{ L: bra L; } { L: bra L; }");
  EXPECT_EQ(target(f, 0), 0U);
  EXPECT_EQ(target(f, 1), 1U);
}

TEST(Labels, inner_definition_hides_the_outer_one_even_if_it_comes_later) {
  const Function f = parsed_body("L: exit; { bra L; L: exit; } bra L;");
  EXPECT_EQ(target(f, 1), 2U);
  EXPECT_EQ(target(f, 3), 0U);
}

TEST(Labels, of_outer_scopes_are_seen_from_inner_ones) {
  const Function f = parsed_body("{ { bra OUT; } } OUT: exit;");
  EXPECT_EQ(target(f, 0), 1U);
}

TEST(Labels, at_the_end_point_behind_the_last_instruction) {
  // bra, then the ret that `kernel` adds, then the label.
  const Module m = parsed(".version 8.0 .target sm_80 .entry k { bra END; END: }");
  EXPECT_EQ(target(m.functions[0], 0), 1U);
  EXPECT_EQ(m.functions[0].instructions.size(), 1U);
}

TEST(Labels, undeclared_ones_are_errors_with_a_suggestion) {
  const auto module = parse_text(kernel("LOOP1: bra LOOP2; { INNER: } bra INNER;"));
  ASSERT_FALSE(module);
  const std::string text = render(module.error());
  EXPECT_THAT(text, HasSubstr("undeclared label 'LOOP2'"));
  EXPECT_THAT(text, HasSubstr("did you mean 'LOOP1'?"));
  EXPECT_THAT(text, HasSubstr("undeclared label 'INNER'"));
}

TEST(Labels, twice_in_one_scope_is_an_error_that_names_the_first) {
  const auto module = parse_text(kernel("L: exit;\n{ L: exit; }\nL: exit;"));
  ASSERT_FALSE(module);
  ASSERT_EQ(module.error().size(), 1U);
  EXPECT_EQ(module.error()[0].message, "label 'L' is defined twice in this scope");
  EXPECT_EQ(module.error()[0].notes[0], "the first definition is in line 11");
}

TEST(Labels, branch_table_gives_its_labels_to_brx) {
  const Function f = parsed_body("T: .branchtargets A, B; brx.idx u32, T; A: exit; B: exit;");
  const auto operands = f.operands(f.instructions[0]);
  ASSERT_EQ(operands.size(), 2U);
  EXPECT_EQ(operands[0].kind, OperandKind::reg);
  const auto labels = f.elements(operands[1]);
  ASSERT_EQ(labels.size(), 2U);
  EXPECT_EQ(f.labels[labels[0].id].instruction, 1U);
  EXPECT_EQ(f.labels[labels[1].id].instruction, 2U);
}

TEST(Labels, branch_table_stands_above_its_branch) {
  EXPECT_THAT(errors_in_body("A: brx.idx u32, T; T: .branchtargets A;"),
              HasSubstr("'T' is not the label of"));
  EXPECT_THAT(errors_in_body("A: brx.idx f32, A;"),
              HasSubstr("index of brx.idx must be a register of type .u32"));
}

} // namespace
} // namespace kerncast::ptx
