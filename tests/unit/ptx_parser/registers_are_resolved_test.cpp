// Names of registers become numbers; equal names in sibling scopes become different registers.
#include "ptx_text.h"

#include <gmock/gmock.h>

namespace kerncast::ptx {
namespace {

using testing::HasSubstr;

RegisterId destination(const Function& f, std::size_t instruction) {
  return f.operands(f.instructions.at(instruction))[0].id;
}

TEST(Registers, of_a_range_only_those_in_use_are_listed) {
  const Function f = parsed_body(".reg .b64 x<1000000>; mov.b64 x7, x999999; mov.b64 x7, 0;");
  const auto& registers = f.registers;
  const auto count =
      std::count_if(registers.begin(), registers.end(), [](const Register& r) { return r.name[0] == 'x'; });
  EXPECT_EQ(count, 2);
  EXPECT_EQ(registers[destination(f, 0)].name, "x7");
  EXPECT_EQ(registers[destination(f, 0)].type, Type::b64);
  EXPECT_EQ(destination(f, 0), destination(f, 1));
}

TEST(Registers, range_holds_its_count_and_no_more) {
  // %r<9> gives %r0 to %r8.
  EXPECT_EQ(errors_in_body("mov.b32 %r0, %r8;"), "");
  EXPECT_THAT(errors_in_body("mov.b32 %r0, %r9;"), HasSubstr("undeclared register '%r9'"));
}

TEST(Registers, sibling_scopes_have_registers_of_their_own) {
  const Function f = parsed_body("{ .reg .b32 t<2>; mov.b32 t1, 1; } { .reg .b32 t<2>; mov.b32 t1, 1; }");
  EXPECT_NE(destination(f, 0), destination(f, 1));
}

TEST(Registers, inner_range_hides_an_outer_register_already_in_use) {
  const Function f =
      parsed_body("mov.b32 %r1, 1; { .reg .b32 %r<2>; mov.b32 %r1, 1; mov.b32 %r2, 1; } mov.b32 %r1, 1;");
  EXPECT_NE(destination(f, 0), destination(f, 1));
  EXPECT_EQ(destination(f, 0), destination(f, 3)); // back in the outer scope
}

TEST(Registers, plain_name_inside_a_range_of_an_outer_scope_is_its_own_register) {
  const Function f = parsed_body("mov.b32 %r1, 1; { .reg .b32 %r1; mov.b32 %r1, 1; } mov.b32 %r1, 1;");
  EXPECT_NE(destination(f, 0), destination(f, 1));
  EXPECT_EQ(destination(f, 0), destination(f, 2));
}

TEST(Registers, variable_of_an_inner_scope_hides_a_register_of_a_range) {
  const Function f = parsed_body(
      "{ .shared .b32 %r5; mov.u32 %r2, %r5; ld.shared.u32 %r2, [%r5]; } ld.shared.u32 %r2, [%r5];");
  const auto source = [&](std::size_t instruction) { return f.operands(f.instructions.at(instruction))[1]; };
  EXPECT_EQ(source(0).kind, OperandKind::symbol);
  EXPECT_EQ(source(1).name, "%r5");
  EXPECT_EQ(source(1).id, no_id);
  EXPECT_NE(source(2).id, no_id); // the register again
  EXPECT_THAT(errors_in_body("{ .shared .b32 %r5; add.u32 %r3, %r5, %r2; }"),
              HasSubstr("the address of %r5"));
}

TEST(Registers, range_of_an_inner_scope_hides_a_variable) {
  const Function f = parsed_body(".shared .b32 t5; { .reg .b32 t<9>; add.u32 t1, t5, t5; }");
  EXPECT_EQ(f.operands(f.instructions.at(0))[1].kind, OperandKind::reg);
}

TEST(Registers, stem_may_end_in_a_digit) {
  const Function f = parsed_body(".reg .b32 x1<5>; mov.b32 x14, 1;");
  EXPECT_EQ(f.registers[destination(f, 0)].name, "x14");
}

TEST(Registers, are_declared_before_use_and_once_per_scope) {
  EXPECT_THAT(errors_in_body("mov.b32 late, 1; .reg .b32 late;"), HasSubstr("undeclared name 'late'"));
  EXPECT_THAT(errors_in_body(".reg .b32 b32;"), HasSubstr("'b32' is declared twice in this scope"));
  EXPECT_EQ(errors_in_body("{ .reg .b64 b32; mov.b64 b32, 1; }"), "");
}

TEST(Registers, absurd_counts_are_refused_before_anything_is_allocated) {
  EXPECT_THAT(errors_in_body(".reg .b32 %x<4000000000>;"), HasSubstr("whole number from 0 to 4194304"));
  EXPECT_THAT(errors_in_body(".reg .b32 %x<4194304>; .reg .b32 %y<4194304>;"),
              HasSubstr("a function declares more than 4194304 registers"));
  EXPECT_THAT(errors_in_body(".reg .b32 %x<-1>;"), HasSubstr("expected a number"));
}

TEST(Registers, misspelt_name_is_followed_by_a_suggestion) {
  const auto module = parse_text(kernel(".reg .b32 counter; mov.b32 countr, 1;"));
  ASSERT_FALSE(module);
  EXPECT_THAT(render(module.error()), HasSubstr("note: did you mean 'counter'?"));
}

} // namespace
} // namespace kerncast::ptx
