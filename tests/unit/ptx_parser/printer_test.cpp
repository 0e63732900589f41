// What the printer writes for one statement, and that a difference between trees is found wherever it is.
#include "ptx_parser/printer.h"

#include "ptx_parser/difference.h"
#include "ptx_text.h"

namespace kerncast::ptx {
namespace {

// The printed lines between a first and a last line.
std::string between(const std::string& text, std::string_view first, std::string_view last) {
  const std::size_t before = text.find(first);
  EXPECT_NE(before, std::string::npos) << text;
  const std::size_t begin = before + first.size();
  const std::size_t end = text.find(last, begin);
  EXPECT_NE(end, std::string::npos) << text;
  return text.substr(begin, end - begin);
}

std::string printed_body(std::string_view body) {
  return between(print(parsed(kernel(body))), ".shared .b32 sv;\n", "\tret;\n");
}

std::string printed_global(std::string_view declaration) {
  return between(print(parsed(".version 8.0 .target sm_80 .global .u32 t;" + std::string(declaration))),
                 ".global .u32 t;\n", "\n");
}

TEST(PrintedLiterals, keep_every_bit) {
  EXPECT_EQ(printed_body("mov.f32 f32, 0f7F800001;"), "\tmov.f32 f32, 0f7F800001;\n");
  EXPECT_EQ(printed_body("mov.f32 f32, -0f7F800001;"), "\tmov.f32 f32, 0fFF800001;\n");
  EXPECT_EQ(printed_body("mov.f64 f64, -0.0;"), "\tmov.f64 f64, 0d8000000000000000;\n");
  // 1.5 = 0x3FF8000000000000 in f64
  EXPECT_EQ(printed_body("mov.f32 f32, 1.5;"), "\tmov.f32 f32, 0d3FF8000000000000;\n");
}

TEST(PrintedConstantExpressions, are_their_values) {
  EXPECT_EQ(printed_body("mov.u32 u32, (1<<4)+3;"), "\tmov.u32 u32, 19;\n");
  EXPECT_EQ(printed_body("mov.u64 u64, 0xFFFFFFFFFFFFFFFF;"), "\tmov.u64 u64, -1;\n");
}

TEST(PrintedOperands, have_their_signs_selectors_and_offsets) {
  EXPECT_EQ(printed_body("setp.lt.and.s32 p|q, s32, 1, !p;"), "\tsetp.lt.and.s32 p|q, s32, 1, !p;\n");
  EXPECT_EQ(printed_body("ld.global.u32 u32, [b64 + -4];"), "\tld.global.u32 u32, [b64+-4];\n");
  EXPECT_EQ(printed_body("ld.global.u32 u32, [gv+0];"), "\tld.global.u32 u32, [gv];\n");
  EXPECT_EQ(printed_body("ld.local.u32 u32, [8];"), "\tld.local.u32 u32, [8];\n");
  EXPECT_EQ(printed_body("mov.f32 f32, vf.w;"), "\tmov.f32 f32, vf.w;\n");
  EXPECT_EQ(printed_body("@!p mov.u32 u32, %ctaid.z;"), "\t@!p mov.u32 u32, %ctaid.z;\n");
  EXPECT_EQ(printed_body("mov.pred p, !%is_explicit_cluster;"), "\tmov.pred p, !%is_explicit_cluster;\n");
}

TEST(PrintedScopes, keep_registers_of_one_name_apart) {
  EXPECT_EQ(printed_body("{ .reg .f32 b32; mov.f32 b32, f32; } mov.b32 b32, 0;"),
            "{\n.reg .f32 b32;\n\tmov.f32 b32, f32;\n}\n\tmov.b32 b32, 0;\n");
}

TEST(PrintedDirectives, keep_the_languages_as_they_are_written) {
  const std::string text =
      ".version 9.4 .target sm_90 .entry k() .language \"cuda c++\",  0x7 .language 2 { ret; }"
      ".func f() .language 3;";
  EXPECT_EQ(between(print(parsed(text)), ".entry k", "{"), "()\n.language \"cuda c++\",  0x7\n.language 2\n");
  EXPECT_EQ(between(print(parsed(text)), ".func f", ";"), "()\n.language 3\n");
  EXPECT_EQ(first_difference(parsed(text), parsed(print(parsed(text)))), "");
  EXPECT_EQ(first_difference(parsed(text), parsed(".version 9.4 .target sm_90 .entry k() { ret; }"
                                                  ".func f() .language 3;")),
            "function 'k': directives");
}

TEST(PrintedInitialValues, have_one_dimension_and_whole_elements) {
  // The first row's missing third element is 0.
  EXPECT_EQ(printed_global(".global .s16 a[2][3] = {{1, -2}, {3}};"), ".global .s16 a[6] = {1, -2, 0, 3};");
  EXPECT_EQ(printed_global(".global .v2 .f32 a[] = {{1.0, 2.0}, {-1.0}};"),
            ".global .v2 .f32 a[2] = {{0f3F800000, 0f40000000}, {0fBF800000}};");
}

TEST(PrintedInitialValues, have_addresses_with_masks_and_addends) {
  EXPECT_EQ(printed_global(".global .b8 a[3] = {0xFF(t), 0xFF00(generic(t)+4), 7};"),
            ".global .b8 a[3] = {0xff(t), 0xff00(generic(t)+4), 7};");
  EXPECT_EQ(printed_global(".global .u64 a[2] = {generic(t), t+-8};"),
            ".global .u64 a[2] = {generic(t), t+-8};");
}

// Each pair of bodies differs in one thing that only the tree's new parts hold.
TEST(FirstDifference, is_found_in_every_part_of_a_body) {
  const auto difference = [](std::string_view a, std::string_view b) {
    // Numbers depend on what `kernel` declares.
    const std::string found = first_difference(parsed(kernel(a)), parsed(kernel(b)));
    return found.substr(0, found.find_first_of("0123456789"));
  };
  EXPECT_EQ(difference("ret;", "ret;"), "");
  EXPECT_EQ(difference("ret ;", "ret; // the same"), "");
  EXPECT_EQ(difference("mov.b32 b32, 1;", "mov.b32 b32, 2;"), "function 'k': operand ");
  EXPECT_EQ(difference("mov.f32 f32, 0f3F800000;", "mov.f32 f32, 1.0;"), "function 'k': operand ");
  EXPECT_EQ(difference("mov.f64 f64, 0.0;", "mov.f64 f64, -0.0;"), "function 'k': operand ");
  EXPECT_EQ(difference("{ ret; }", "ret;"), "function 'k': number of items: ");
  EXPECT_EQ(difference(".reg .b32 x;", ".reg .b32 x<2>;"), "function 'k': number of registers: ");
  EXPECT_EQ(difference(".reg .b32 x<3>;", ".reg .b32 x<2>;"), "function 'k': register declaration ");
  EXPECT_EQ(difference(".loc 1 2 3", ".loc 1 2 3, inlined_at 1 2 3"), "function 'k': source line ");
  EXPECT_EQ(difference("f: .callprototype _ (.param .b32 _);", "f: .callprototype _ (.param .b64 _);"),
            "function 'k': prototype ");
  EXPECT_EQ(difference("L: bra L;", "M: bra M;"), "function 'k': label ");
}

TEST(FirstDifference, is_found_in_every_part_of_a_module) {
  const auto difference = [](const std::string& a, const std::string& b) {
    const std::string header = ".version 8.0 .target sm_80";
    return first_difference(parsed(header + a), parsed(header + b));
  };
  EXPECT_EQ(difference("", ".address_size 64"), "header");
  EXPECT_EQ(difference("", ", debug"), "number of target options: 0 and 1");
  EXPECT_EQ(difference(" .global .u32 a;", " .global .u32 a = 0;"), "global variable 0");
  EXPECT_EQ(difference(" .global .attribute(.managed) .u32 a;", " .global .u32 a;"), "global variable 0");
  EXPECT_EQ(difference(" .file 1 \"a\"", " .file 1 \"a\", 1, 2"), "file 0");
  EXPECT_EQ(difference(" .section .debug_str { .b8 1 }", " .section .debug_str { .b8 2 }"),
            "verbatim text 0");
  EXPECT_EQ(difference(" .pragma \"a\";", " .pragma \"b\";"), "module pragma 0");
  EXPECT_EQ(difference(" .func f();", " .func f() .noreturn;"), "function 'f': directives");
  EXPECT_EQ(difference(" .func f(); .global .u32 a;", " .global .u32 a; .func f();"), "module item 0");
}

// What the parser takes once only, so that nothing is dropped from the tree.
TEST(WrittenTwice, is_refused) {
  const std::string header = ".version 8.0 .target sm_80 ";
  EXPECT_EQ(errors_in(header + ".global .attribute(.managed) .attribute(.managed) .u32 a;"),
            "1:67: a second .attribute\n");
  EXPECT_EQ(errors_in_body(".loc 1 2 3, inlined_at 1 2 3, inlined_at 1 2 3"), "inlined_at is given twice\n");
  EXPECT_EQ(errors_in_body("f: .callprototype _ () .explicitcluster;"),
            "'.explicitcluster' does not belong in a prototype\n");
}

} // namespace
} // namespace kerncast::ptx
