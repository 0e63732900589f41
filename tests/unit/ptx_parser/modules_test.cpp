// The file as a whole: header, truncation, binary contents, recovery, source lines.
#include "cases.h"

namespace kerncast::ptx {
namespace {

using testing::HasSubstr;

TEST(Modules, header_is_kept) {
  const Module m =
      parsed("// c\n.version 8.7\n.target sm_90a, debug\n.address_size 32\n.file 3 \"x.cu\", 1, 2\n");
  EXPECT_EQ(m.version_major, 8U);
  EXPECT_EQ(m.version_minor, 7U);
  EXPECT_EQ(m.target, "sm_90a");
  EXPECT_EQ(m.address_bits, 32U);
  ASSERT_EQ(m.files.size(), 1U);
  EXPECT_EQ(m.files[0].path, "x.cu");
}

TEST(Modules, without_version_or_target_are_errors) {
  EXPECT_THAT(errors_in(".target sm_80"), HasSubstr("a PTX module begins with .version"));
  EXPECT_THAT(errors_in(".version 8.0\n.entry k { ret; }"),
              HasSubstr("2:1: expected .target after .version"));
  EXPECT_THAT(errors_in(".version eight\n.target sm_80"), HasSubstr("expected a version such as 8.0"));
  EXPECT_THAT(errors_in(".version 8.0 .target gfx90"), HasSubstr("unknown target 'gfx90'"));
  EXPECT_THAT(errors_in(".version 8.0 .target sm_80 .address_size 48"), HasSubstr("must be 32 or 64"));
  EXPECT_THAT(errors_in(""), HasSubstr("a PTX module begins with .version"));
}

std::string notes_of(std::string text) {
  const auto module = parse_text(std::move(text));
  return module ? "" : render(module.error());
}

TEST(Modules, target_that_no_gpu_has_is_an_error_with_the_nearest) {
  EXPECT_EQ(errors_in(".version 9.0 .target sm_91\n.entry k { ret; }"), "1:22: unknown target 'sm_91'\n");
  EXPECT_THAT(notes_of(".version 9.0 .target sm_91"), HasSubstr("did you mean 'sm_90'?"));
  EXPECT_THAT(notes_of(".version 9.0 .target sm_90b"), HasSubstr("did you mean 'sm_90'?"));
  EXPECT_THAT(notes_of(".version 9.0 .target compute_91"), HasSubstr("did you mean 'compute_90'?"));
  EXPECT_THAT(notes_of(".version 9.0 .target sm_108"), HasSubstr("did you mean 'sm_103'?"));
  EXPECT_THAT(notes_of(".version 8.7 .target sm_104"), HasSubstr("did you mean 'sm_101'?"));
  EXPECT_THAT(errors_in(".version 9.0 .target sm_"), HasSubstr("unknown target 'sm_'"));
  EXPECT_THAT(errors_in(".version 9.0 .target sm_foo"), HasSubstr("unknown target 'sm_foo'"));
  EXPECT_THAT(errors_in(".version 9.0 .target sm_090"), HasSubstr("unknown target 'sm_090'"));
  EXPECT_THAT(errors_in(".version 9.0 .target sm_80, sm_81"), HasSubstr("unknown target 'sm_81'"));
  EXPECT_EQ(errors_in(".version 9.0 .target sm_80, sm_90a, debug"), "");
}

TEST(Modules, version_older_than_its_target_is_an_error) {
  EXPECT_EQ(errors_in(".version 2.0 .target sm_90"), "1:22: 'sm_90' is no target of .version 2.0\n");
  EXPECT_THAT(notes_of(".version 7.7 .target compute_90"), HasSubstr("write .version 7.8 or a later one"));
  EXPECT_EQ(errors_in(".version 7.8 .target sm_90"), "");
  EXPECT_EQ(errors_in(".version 8.8 .target sm_120f"), "");
}

TEST(Modules, versions_that_never_were_are_errors) {
  for (const char* version : {"1.6", "2.4", "3.3", "4.4", "5.2", "6.6", "7.9", "8.9", "0.9"})
    EXPECT_THAT(errors_in(".version " + std::string(version) + " .target sm_10"),
                HasSubstr("there is no PTX version " + std::string(version)));
  for (const char* version : {"6.5", "7.8", "8.8", "9.0", "9.1", "9.2"})
    EXPECT_EQ(errors_in(".version " + std::string(version) + " .target sm_75"), "");
}

TEST(Modules, target_options_stand_beside_a_target_and_do_not_contradict) {
  EXPECT_EQ(errors_in(".version 9.0 .target debug"), "1:14: .target names no target\n");
  EXPECT_THAT(errors_in(".version 9.0 .target sm_80, texmode_unified, texmode_independent"),
              HasSubstr("contradict each other"));
}

TEST(Modules, newer_version_or_target_is_a_warning) {
  const Module m = parsed(".version 99.0 .target sm_130a");
  ASSERT_EQ(m.warnings.size(), 2U);
  EXPECT_EQ(m.warnings[0].message, ".version 99.0 is newer than 9.2, the newest known here");
  EXPECT_EQ(m.warnings[1].message, "target 'sm_130a' is newer than sm_121f, the newest known here");
  expect_notes(m.warnings);
  EXPECT_TRUE(parsed(".version 9.0 .target sm_121f").warnings.empty());
}

TEST(Modules, newer_version_may_name_any_target_that_has_the_form_of_one) {
  for (const char* target : {"sm_108", "sm_108a", "sm_108f", "compute_109", "sm_95"}) {
    const Module m = parsed(".version 99.0 .target " + std::string(target));
    ASSERT_EQ(m.warnings.size(), 2U) << target;
    EXPECT_EQ(m.warnings[1].message, "target '" + std::string(target) + "' is none of those known here");
    EXPECT_EQ(m.target, target);
    expect_notes(m.warnings);
  }
  for (const char* target : {"sm_108b", "sm_0108", "sm_", "sm_5", "sm_a", "gfx90", "sm_10800"})
    EXPECT_EQ(errors_in(".version 99.0 .target " + std::string(target)),
              "1:23: unknown target '" + std::string(target) + "'\n");
  EXPECT_THAT(errors_in(".version 9.0 .target sm_108a"), HasSubstr("unknown target 'sm_108a'"));
}

TEST(Modules, target_of_a_newer_version_that_is_known_is_checked_against_it) {
  EXPECT_EQ(errors_in(".version 9.0 .target sm_107a"), "1:22: 'sm_107a' is no target of .version 9.0\n");
  EXPECT_THAT(notes_of(".version 9.3 .target sm_107"), HasSubstr("write .version 9.4 or a later one"));
  EXPECT_EQ(parsed(".version 9.4 .target sm_107f").warnings.size(), 1U); // of the version alone
}

TEST(Modules, header_stands_in_front_once) {
  const std::string head = ".version 9.0 .target sm_90\n";
  const std::string_view misplaced = "does not belong behind the module's first lines";
  EXPECT_EQ(errors_in(head + ".entry k { ret; }\n.address_size 64\n.entry l { ret; }"),
            "3:1: '.address_size' " + std::string(misplaced) + "\n");
  EXPECT_THAT(errors_in(head + ".address_size 64 .address_size 64"), HasSubstr(misplaced));
  EXPECT_THAT(errors_in(head + ".address_size 64 .target sm_90"), HasSubstr(misplaced));
  EXPECT_THAT(errors_in(head + ".entry k { ret; }\n.version 9.0"), HasSubstr(misplaced));
  EXPECT_EQ(errors_in(".target sm_80\n.address_size 64\n.entry k { ret; }"),
            "1:1: a PTX module begins with .version\n");
}

TEST(Modules, truncated_ones_say_so) {
  EXPECT_THAT(errors_in(".version 8.0 .target sm_80\n.entry k {\nret;"),
              HasSubstr("the body of 'k' has no closing '}'"));
  EXPECT_THAT(errors_in(".version 8.0 .target sm_80\n/* ab"), HasSubstr("2:1: unterminated comment"));
  EXPECT_THAT(errors_in(".version 8.0 .target sm_80\n.file 1 \"ab\n"), HasSubstr("2:9: unterminated string"));
  EXPECT_THAT(errors_in(".version 8.0 .target sm_80\n.section .debug_str { .b8 1"),
              HasSubstr("no closing '}'"));
}

TEST(Modules, that_are_binary_say_so) {
  EXPECT_THAT(errors_in(std::string(".version 8.0\0", 13)), HasSubstr("this is a binary file, not PTX text"));
  const auto elf = parse_text(std::string("\x7f"
                                          "ELF\x02\x01\0\0",
                                          8));
  ASSERT_FALSE(elf);
  EXPECT_THAT(render(elf.error()), HasSubstr("it is an ELF file"));
  EXPECT_THAT(errors_in(".version 8.0\n// \xc3\xa9"), HasSubstr("2:4: a character outside ASCII"));
}

TEST(Modules, missing_brace_does_not_swallow_the_next_function) {
  const std::string errors = errors_in(".version 8.0 .target sm_80\n.entry a {\nret;\n.entry b {\nbad;\n}\n");
  EXPECT_THAT(errors, HasSubstr("4:1: the body of 'a' has no closing '}'"));
  EXPECT_THAT(errors, HasSubstr("5:1: unknown instruction 'bad'"));
}

TEST(Recovery, every_wrong_statement_is_reported_once) {
  const auto module = parse_text(
      kernel("bad1;\nadd.u32 u32, u32, 1;\nbad2 {u32, ;\n@p bad3; mov.u32 u32, {u32 ; add.u32 u32;"));
  ASSERT_FALSE(module);
  std::vector<std::string> messages;
  for (const Diagnostic& d : module.error())
    messages.push_back(d.message);
  EXPECT_THAT(messages,
              testing::ElementsAre(HasSubstr("'bad1'"), HasSubstr("'bad2'"), HasSubstr("'bad3'"),
                                   HasSubstr("expected '}'"), HasSubstr("takes 3 operands, but 1 is")));
}

using Recovered = Wrong;

class RecoveryFrom : public WrongText {};

TEST_P(RecoveryFrom, one_mistake_is_one_error) {
  EXPECT_EQ(errors_in_body(GetParam().text), std::string(GetParam().message) + "\n");
}

// The next statement begins in the line behind the missing ';', and is read.
INSTANTIATE_TEST_SUITE_P(
    missing_semicolons, RecoveryFrom,
    testing::Values(
        Recovered{"@p bra L\nL: bra L;", "expected ',' or ';' in 'bra', but found 'L'"},
        Recovered{"add.s32 s32, s32, 1\n.reg .b32 %z<4>;\nmov.b32 %z1, 1;",
                  "expected ',' or ';' in 'add.s32', but found '.reg'"},
        Recovered{"add.s32 s32, s32, 1\n\t@p bra M;\nM: bra M;",
                  "expected ',' or ';' in 'add.s32', but found '@'"},
        Recovered{"bra L\n{\n.reg .b32 z; mov.b32 z, 1;\n}\nL:",
                  "expected ',' or ';' in 'bra', but found '{'"},
        Recovered{"mov.b64 b64, {b32, b32\nL: bra L;", "expected '}' after a vector, but found 'L'"},
        Recovered{"{\nmov.b64 b64, {b32 b32\n}\nL: bra L;", "expected '}' after a vector, but found 'b32'"},
        Recovered{"exit\nL: bra L;", "expected ',' or ';' in 'exit', but found 'L'"},
        Recovered{"membar.gl\nst.global.b32 [b64], b32;",
                  "expected ',' or ';' in 'membar.gl', but found 'st'"},
        Recovered{".reg .b32 z\nL: bra L;", "expected ';' after a register declaration, but found 'L'"},
        Recovered{"bad2\nL: bra L;", "unknown instruction 'bad2'"}));
INSTANTIATE_TEST_SUITE_P(
    statements_over_several_lines, RecoveryFrom,
    testing::Values(Recovered{"bad2\n.s32 s32,\ns32, 1;", "unknown instruction 'bad2'"},
                    Recovered{"ld.global.v2.b32x\n{b32,\nb32},\n[b64];", "unknown modifier '.b32x' for 'ld'"},
                    Recovered{".pragmb\n\"x\";", "unknown directive '.pragmb' in a function's body"}));
// What a wrong declaration names is not undeclared too.
INSTANTIATE_TEST_SUITE_P(
    wrong_declarations, RecoveryFrom,
    testing::Values(Recovered{".reg .b33 %z<16>, y;\nmov.b32 %z1, y; @%z2 ret; ld.global.b32 b32, [%z3+4];",
                              "expected a type after .reg, but found '.b33'"},
                    Recovered{".reg .b32 %z<-1>;\nmov.b32 %z1, 1;", "expected a number, but found '-'"},
                    Recovered{".shared .b33 t[4];\nld.shared.b32 b32, [t+4]; mov.b32 b32, t;",
                              "'.b33' does not belong in a declaration"},
                    Recovered{"list: .branchtargets 5;\nbrx.idx u32, list;",
                              "expected a label, but found '5'"},
                    Recovered{"%r1: bra %r1;", "label '%r1' has the name of a variable of this scope"}));

TEST(Recovery, name_of_a_wrong_declaration_is_unknown_behind_its_function) {
  EXPECT_EQ(errors_in(".version 8.0 .target sm_80\n.entry a { .reg .b33 z;\nmov.b32 z, 1; }\n"
                      ".entry b { mov.b32 z, 1; }"),
            "2:17: expected a type after .reg, but found '.b33'\n4:20: undeclared name 'z'\n");
}
TEST(Recovery, what_a_wrong_declaration_of_the_module_names_is_not_undeclared_too) {
  EXPECT_EQ(errors_in(".version 8.0 .target sm_80\n.global .b33 g;\n.func f(.param .b33 p) { ret; }\n"
                      ".entry k { .reg .b64 d; mov.u64 d, g; call f; }"),
            "2:9: '.b33' does not belong in a declaration\n"
            "3:16: '.b33' does not belong in a declaration\n");
}

TEST(Recovery, what_a_wrong_initial_value_names_is_not_declared) {
  EXPECT_EQ(errors_in(".version 8.0 .target sm_80\n.global .u64 g = r;\n.entry k { mov.u64 r1, g; }"),
            "2:18: undeclared variable or function 'r'\n3:20: undeclared name 'r1'\n");
}
// Only `z<2>` would declare z1.
TEST(Recovery, name_of_a_wrong_declaration_stands_for_numbered_ones_only_behind_a_range) {
  EXPECT_EQ(
      errors_in(
          ".version 8.0 .target sm_80\n.entry k { .reg .b33 z, y<2>;\nmov.b32 y1, 1;\nmov.b32 z1, 1; }"),
      "2:17: expected a type after .reg, but found '.b33'\n4:9: undeclared name 'z1'\n");
}

TEST(Recovery, brace_too_many_or_too_few_is_one_error) {
  const std::string header = ".version 8.0 .target sm_80\n";
  const std::string body = ".reg .b32 r<3>;\nadd.s32 r1, r1, 1;\nL: bra L;\nret;\n}\n.entry next { ret; }\n";
  EXPECT_EQ(errors_in(header + ".entry k {\n}\n.reg .b32 q;\n" + body),
            "4:11: 'q' cannot be declared outside functions\n");
  EXPECT_EQ(errors_in(header + ".entry k\n" + body), "3:1: expected '{' before the body of a function\n");
}
TEST(Recovery, missing_declaration_is_one_error) {
  EXPECT_EQ(errors_in(".version 8.0 .target sm_80\n.entry k {\nadd.s32 %r1, %r2, %r3;\nadd.s32 %r4, %r5, x;\n"
                      "add.s32 %r4, %r5, x;\n}"),
            "3:9: undeclared register '%r1'\n");
}
TEST(Recovery, parameters_behind_a_wrong_one_are_declared) {
  EXPECT_EQ(errors_in(".version 8.0 .target sm_80\n.entry k(.param .u64 a, .param .u64 a, .param .u64 b) {\n"
                      ".reg .b64 d; ld.param.u64 d, [b]; ret; }"),
            "2:37: 'a' is declared twice in this scope\n");
}

TEST(Recovery, stops_at_the_error_limit) {
  std::string body;
  for (int i = 0; i < 50; ++i)
    body += "bad;\n";
  const auto limited = parse_text(kernel(body), 20);
  const auto unlimited = parse_text(kernel(body), 0);
  ASSERT_FALSE(limited);
  ASSERT_FALSE(unlimited);
  EXPECT_EQ(limited.error().size(), 20U);
  EXPECT_THAT(limited.error().back().notes.back(), HasSubstr("stopped after 20 errors"));
  EXPECT_EQ(unlimited.error().size(), 50U);
  EXPECT_THAT(parse_text(kernel(body), 1).error().back().notes.back(), HasSubstr("stopped after 1 error;"));
}

// Many errors in one line keep a part of it each: their size grows with their number, not with its square.
TEST(Diagnostics, keep_the_part_of_a_long_line_around_the_mistake) {
  const std::size_t most = 200;
  const std::size_t statements = 1000;
  std::string text = ".version 8.0 .target sm_80 .entry k { ";
  for (std::size_t i = 0; i < statements; ++i)
    text += "bad; ";
  const auto module = parse_text(text + "}");
  ASSERT_FALSE(module);
  for (const Diagnostic& d : module.error()) {
    EXPECT_LE(d.source_line.size(), most);
    EXPECT_EQ(d.source_line.substr(std::min<std::size_t>(d.place.column - 1, most / 2), 3), "bad");
  }
}
TEST(Diagnostics, point_at_the_modifier_at_fault) {
  const auto module =
      parse_text(".version 8.0 .target sm_80\n.entry k {\n\t.reg .f32 f;\n\tadd.rm.stz.f32 f, f, f;\n}");
  ASSERT_FALSE(module);
  EXPECT_EQ(render(module.error()), "test.ptx:4:8: error: unknown modifier '.stz' for 'add'\n"
                                    "   add.rm.stz.f32 f, f, f;\n"
                                    "         ^~~~\n"
                                    "test.ptx:4:8: note: did you mean '.ftz'?\n");
}

TEST(SourceLines, of_loc_go_to_the_instructions_behind_them) {
  const Function f =
      parsed_body("exit; .loc 2 31 7\nexit; exit; .loc 1 5 0, function_name $L+4, inlined_at 2 9 1\nexit;");
  EXPECT_EQ(f.instructions[0].source, no_id);
  EXPECT_EQ(f.instructions[1].source, f.instructions[2].source);
  const SourceLine line = f.source_lines[f.instructions[2].source];
  EXPECT_EQ(line.file, 2U);
  EXPECT_EQ(line.line, 31U);
  EXPECT_EQ(line.column, 7U);
  EXPECT_EQ(f.source_lines[f.instructions[3].source].line, 5U);
}

TEST(Modifiers, a_hundred_thousand_are_one_error) {
  std::string statement = "add";
  for (int i = 0; i < 100000; ++i)
    statement += ".u32";
  EXPECT_EQ(errors_in_body(statement + " u32, u32, u32;"), "an instruction with 100000 modifiers\n");
}

TEST(Scopes, nest_a_hundred_thousand_deep) {
  const std::size_t depth = 100000;
  EXPECT_EQ(errors_in_body(std::string(depth, '{') + "L: bra L;" + std::string(depth, '}')), "");
}

} // namespace
} // namespace kerncast::ptx
