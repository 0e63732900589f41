// Signatures, performance directives, declarations before definitions, and calls.
#include "ptx_text.h"

#include <gmock/gmock.h>

namespace kerncast::ptx {
namespace {

using testing::HasSubstr;

const std::string module_header = ".version 8.0 .target sm_80\n";

TEST(Functions, performance_directives_are_kept) {
  const Module m =
      parsed(module_header + ".visible .entry k() .maxntid 128, 2 .minnctapersm 3 .maxnreg 40 { ret; }"
                             ".entry l() .reqntid 64 { ret; }");
  const Function& f = m.functions[0];
  EXPECT_EQ(f.linkage, Linkage::visible);
  EXPECT_THAT(f.max_threads, testing::ElementsAre(128, 2, 1));
  EXPECT_THAT(m.functions[1].required_threads, testing::ElementsAre(64, 1, 1));
  EXPECT_EQ(f.min_ctas_per_sm, 3U);
  EXPECT_EQ(f.max_registers, 40U);
}

TEST(Functions, definition_is_found_before_its_declaration) {
  const Module m = parsed(module_header + ".func f(); .func f() { ret; }");
  ASSERT_NE(m.find("f"), nullptr);
  EXPECT_TRUE(m.find("f")->has_body);
  EXPECT_EQ(m.find("g"), nullptr);
}

TEST(Functions, two_bodies_of_one_name_are_an_error) {
  EXPECT_THAT(errors_in(module_header + ".entry k { ret; }\n.entry k { ret; }"),
              HasSubstr("3:8: function 'k' is defined twice"));
  EXPECT_THAT(errors_in(module_header + ".global .u32 k; .entry k { ret; }"),
              HasSubstr("'k' is declared twice"));
}

TEST(Functions, parameters_of_a_function_may_be_registers) {
  const Module m = parsed(module_header + ".func (.reg .u32 r) f (.reg .u32 x) { add.u32 r, x, 1; ret; }");
  EXPECT_EQ(m.functions[0].registers.size(), 2U);
}

TEST(Calls, have_results_callee_and_arguments) {
  const Module m =
      parsed(module_header + ".func (.reg .u32 r) f (.reg .u32 x) { ret; } .func g() { ret; }\n"
                             ".entry k { .reg .u32 a, b; call.uni (a), f, (b); call g; call g, (); }");
  const Function& k = *m.find("k");
  const auto operands = k.operands(k.instructions[0]);
  ASSERT_EQ(operands.size(), 3U);
  EXPECT_EQ(k.elements(operands[0]).size(), 1U);
  EXPECT_EQ(operands[1].name, "f");
  EXPECT_EQ(k.elements(operands[2]).size(), 1U);
  EXPECT_EQ(k.operands(k.instructions[1]).size(), 3U);
}

TEST(Calls, indirect_ones_name_a_prototype) {
  const std::string text =
      ".entry k { .reg .u64 f; P: .callprototype _ (.param .b32 _) .noreturn; .param .b32 a; ";
  EXPECT_EQ(errors_in(module_header + text + "call f, (a), P; ret; }"), "");
  EXPECT_THAT(errors_in(module_header + text + "call f, (a); ret; }"),
              HasSubstr("an indirect call needs a prototype"));
  EXPECT_THAT(errors_in(module_header + text + "call f, (a), Q; ret; }"),
              HasSubstr("'Q' is not the label of"));
}

TEST(Calls, wrong_counts_and_names_are_errors) {
  const std::string f = ".func (.reg .u32 r) f (.reg .u32 x) { ret; } ";
  EXPECT_THAT(errors_in(module_header + f + ".entry k { .reg .u32 a; call (a), f, (a, a); ret; }"),
              HasSubstr("'f' takes 1 arguments, but 2 are given"));
  EXPECT_THAT(errors_in(module_header + f + ".entry k { .reg .u32 a; call f, (a); ret; }"),
              HasSubstr("'f' returns 1 values, but 0 are taken"));
  EXPECT_THAT(errors_in(module_header + f + ".entry k { call later; ret; } .func later() { ret; }"),
              HasSubstr("undeclared function 'later'"));
}

TEST(Functions, alias_names_functions_that_are_declared) {
  EXPECT_EQ(parsed(module_header + ".func a() { ret; } .visible .func b(); .alias b, a;").aliases.size(), 1U);
  EXPECT_THAT(errors_in(module_header + ".func a() { ret; } .alias b, a;"),
              HasSubstr("undeclared function 'b'"));
}

} // namespace
} // namespace kerncast::ptx
