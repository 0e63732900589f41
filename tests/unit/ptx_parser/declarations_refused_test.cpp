// Declarations, labels and calls that ptxas 13.0 refuses are refused, with a message that names what is
// wrong; their neighbours that it assembles are not.
#include "cases.h"

namespace kerncast::ptx {
namespace {

std::string errors(std::string_view text) {
  return errors_in(".version 9.0\n.target sm_90a\n.address_size 64\n" + std::string(text));
}

class RefusedModule : public WrongText {};

TEST_P(RefusedModule, is_one_error_that_says_why) {
  expect_only_error(errors(GetParam().text), GetParam().message);
}

class AcceptedModule : public Text {};

TEST_P(AcceptedModule, has_no_error) { EXPECT_EQ(errors(GetParam()), ""); }

INSTANTIATE_TEST_SUITE_P(
    registers, RefusedModule,
    testing::Values(
        Wrong{".entry k(){ .reg .b32 %r<5>; .reg .b32 %r3; ret; }", "'%r3' is declared twice"},
        Wrong{".entry k(){ .reg .b32 %r3; .reg .b32 %r<5>; ret; }",
              "a register of '%r<5>' is declared twice"},
        Wrong{".entry k(){ .reg .b32 %r<3>; .shared .b32 %r1; ret; }", "'%r1' is declared twice"},
        Wrong{".entry k(){ .shared .b32 r2; .reg .b32 r<4>; ret; }",
              "a register of 'r<4>' is declared twice"},
        Wrong{".entry k(.param .u64 r1){ .reg .b64 r<4>; ret; }", "a register of 'r<4>' is declared twice"},
        Wrong{".entry k(.param .u64 r1){ .reg .b64 r1; ret; }", "'r1' is declared twice"},
        Wrong{".func f(.reg .b32 r1){ .reg .b32 r<4>; ret; }", "a register of 'r<4>' is declared twice"},
        Wrong{".entry k(){ .shared .b32 r7; .shared .b32 r2; .reg .b32 r<4>; ret; }",
              "a register of 'r<4>' is declared twice"},
        Wrong{".entry k(){ .reg .b32 r<4>; r1: bra r1; }", "label 'r1' has the name of a variable"},
        Wrong{".entry k(.param .u64 L){ L: bra L; }", "label 'L' has the name of a variable"},
        Wrong{".entry k(){ L: bra L; .reg .b32 L; }", "'L' is declared twice"},
        Wrong{".entry k(){ .reg .texref t; ret; }", "a register cannot be of type .texref"},
        Wrong{".entry k(){ .reg .v4 .b64 t; ret; }", "wider than 128 bits"},
        Wrong{".entry k(){ .reg .v2 .pred t; ret; }", "a vector cannot have elements of type .pred"}));
INSTANTIATE_TEST_SUITE_P(registers, AcceptedModule,
                         testing::Values(".entry k(){ .reg .b32 %r<5>; .reg .b32 %r5; ret; }",
                                         ".entry k(){ .reg .b32 %r<5>; { .reg .b32 %r3; } ret; }",
                                         ".entry k(){ .reg .b32 a<3>; .reg .b32 a; ret; }",
                                         ".entry k(){ r1: bra r1; .reg .b32 r<4>; ret; }",
                                         ".entry k(){ .reg .b32 r<4>; { r1: bra r1; } ret; }",
                                         ".entry k(){ { .reg .b32 r1; } .reg .b32 r<4>; ret; }",
                                         ".entry k(.param .u64 r1){ { .reg .b64 r<4>; } ret; }",
                                         ".entry k(){ .shared .b32 r01; .reg .b32 r<4>; ret; }",
                                         ".entry k(){ .reg .b32 r1<4>; .reg .b32 r<14>; ret; }",
                                         ".entry k(){ .reg .v2 .b64 t; ret; }"));
INSTANTIATE_TEST_SUITE_P(
    variables, RefusedModule,
    testing::Values(
        Wrong{".global .b8 x[];", "array 'x' has no size"},
        Wrong{".entry k(){ .shared .b8 x[0]; ret; }", "array 'x' has no size"},
        Wrong{".entry k(.param .b8 x[]){ ret; }", "array 'x' has no size"},
        Wrong{".entry k(.reg .b32 x){ ret; }", "must lie in .param"},
        Wrong{".global .v4 .b64 x;", "vector 'x' is wider than 128 bits"},
        Wrong{".global .pred x;", "cannot be of type .pred"},
        Wrong{".shared .texref x;", "cannot be of type .texref"},
        Wrong{".entry k(){ .param .align 256 .b8 x[4]; ret; }", "aligned to 256 bytes"},
        Wrong{".global .f32 x[2] = {1, 2};", "an integer cannot be an initial value of type .f32"},
        Wrong{".global .u32 x = 1.5;", "a floating-point number cannot be an initial value of type .u32"},
        Wrong{".entry k(){ .reg .b32 L; L: ret; }", "label 'L' has the name of a variable"}));
INSTANTIATE_TEST_SUITE_P(variables, AcceptedModule,
                         testing::Values(".extern .shared .b8 x[];", ".global .b8 x[] = {1, 2};",
                                         ".func f(.param .b8 x[]){ ret; }", ".global .b32 x = 1.5;",
                                         ".global .b8 x = 300;",
                                         ".entry k(){ .reg .b32 L; { L: ret; } ret; }"));
INSTANTIATE_TEST_SUITE_P(
    names, RefusedModule,
    testing::Values(Wrong{".global .u32 _;", "'_' names nothing"},
                    Wrong{".global .u32 $;", "expected a name, but found '$'"},
                    Wrong{".entry _(){ ret; }", "'_' names nothing"},
                    Wrong{".entry k(){ .reg .b32 _; ret; }", "'_' names nothing"},
                    Wrong{".entry k(){ .reg .b32 _<4>; ret; }", "'_' names nothing"},
                    Wrong{".entry k(){ _: ret; }", "'_' names nothing"},
                    Wrong{".entry k(.param .u32 _, .param .u32 _){ ret; }", "'_' is declared twice"},
                    Wrong{".func f(.param .u32 _){ ret; }", "parameter has no name"},
                    Wrong{".extern .func (.param .u32 _) f();", "parameter has no name"}));
INSTANTIATE_TEST_SUITE_P(
    names, AcceptedModule,
    testing::Values(".entry k(.param .u32 _){ ret; }", ".entry k(){ .reg .b32 $_, __, _a; $0: ret; }",
                    ".entry k(){ p: .callprototype (.param .b32 _) _ (.param .b32 _); ret; }"));
INSTANTIATE_TEST_SUITE_P(places_of_lines, RefusedModule,
                         testing::Values(Wrong{".file 1 \"a.cu\"\n.loc 1 2 3\n.entry k(){ ret; }",
                                               "a .loc outside functions"}));
INSTANTIATE_TEST_SUITE_P(
    prototypes, RefusedModule,
    testing::Values(Wrong{".func f(.param .b32 a); .func f(.param .u32 a){ ret; }", "with other parameters"},
                    Wrong{".func f(.param .b32 a); .func f(){ ret; }", "with other parameters"},
                    Wrong{".func (.param .b32 r) f(); .func (.param .f32 r) f(){ ret; }",
                          "with other return values"},
                    Wrong{".func f; .entry f(){ ret; }", "as a kernel and as a function"}));

INSTANTIATE_TEST_SUITE_P(
    directives_of_signatures, RefusedModule,
    testing::Values(
        Wrong{".entry k() .maxntid 32,1,1 .reqntid 32 { ret; }",
              ".maxntid and .reqntid contradict each other"},
        Wrong{".entry k() .reqntid 32 .maxntid 32 { ret; }", ".maxntid and .reqntid contradict each other"},
        Wrong{".entry k() .reqnctapercluster 2 .maxclusterrank 4 { ret; }",
              ".reqnctapercluster and .maxclusterrank contradict each other"},
        Wrong{".entry k() .blocksareclusters .reqntid 32 { ret; }",
              ".blocksareclusters needs .reqnctapercluster"},
        Wrong{".entry k() .maxntid 0 { ret; }", ".maxntid must be a whole number from 1"},
        Wrong{".entry k() .maxntid 32, 0 { ret; }", ".maxntid must be a whole number from 1"},
        Wrong{".entry k() .reqntid 0 { ret; }", ".reqntid must be a whole number from 1"},
        Wrong{".entry k() .maxntid 32 .minnctapersm 0 { ret; }",
              ".minnctapersm must be a whole number from 1"},
        Wrong{".entry k() .maxnreg 0 { ret; }", ".maxnreg must be a whole number from 1"},
        Wrong{".entry k() .maxntid 4294967296 { ret; }", ".maxntid must be a whole number from 1"},
        Wrong{".entry k() .maxntid 1+1 { ret; }",
              "expected '{' or ';' after the signature of 'k', but found '+'"},
        Wrong{".entry k() .maxntid (2) { ret; }", "expected a number behind .maxntid, but found '('"},
        Wrong{".entry k() .maxntid -1 { ret; }", "expected a number behind .maxntid, but found '-'"},
        Wrong{".func f() .maxntid 4 { ret; }", "'.maxntid' belongs to a kernel"},
        Wrong{".func f() .pragma \"nounroll\"; { ret; }", "'.pragma' belongs to a kernel"},
        Wrong{".entry k() .noreturn { ret; }", "'.noreturn' belongs to a .func"},
        Wrong{".entry k() .language { ret; }", "expected a language behind .language, but found '{'"},
        Wrong{".entry k() .language ptx { ret; }", "expected a language behind .language, but found 'ptx'"},
        Wrong{".entry k() .language 11 { ret; }", "a language's number must be from 0 to 10"}));
INSTANTIATE_TEST_SUITE_P(
    directives_of_signatures, AcceptedModule,
    testing::Values(".entry k() .maxntid 0x20, 4U .maxntid WARP_SZ { ret; }",
                    ".entry k() .reqnctapercluster 0 { ret; }", ".entry k() .maxclusterrank 0 { ret; }",
                    ".entry k() .blocksareclusters .reqntid 32 .reqnctapercluster 2 { ret; }",
                    ".func f() .noreturn .abi_preserve 4 { ret; }",
                    ".entry k() .language \"ptx\", \"cuda c++\", 0x7 .maxntid 32 { ret; }",
                    ".func f() .language \"nvvm\" .noreturn { ret; }"));
INSTANTIATE_TEST_SUITE_P(
    linkage, RefusedModule,
    testing::Values(Wrong{".visible .visible .entry k(){ ret; }", "a second linkage, '.visible'"},
                    Wrong{".extern .visible .global .b32 x;", "a second linkage, '.visible'"},
                    Wrong{".visible .weak .func f(){ ret; }", "a second linkage, '.weak'"},
                    Wrong{".common .entry k(){ ret; }", "a function cannot be .common"},
                    Wrong{".common .func f(){ ret; }", "a function cannot be .common"},
                    Wrong{".common .const .b32 x;", "'x' cannot be .common"},
                    Wrong{".common .shared .b32 x;", "'x' cannot be .common"},
                    Wrong{".extern .func f(){ ret; }", "'f' is .extern, but has a body"},
                    Wrong{".extern .entry k(){ ret; }", "'k' is .extern, but has a body"},
                    Wrong{".extern .global .u32 a = 5;", "'a' is .extern, but has an initial value"},
                    Wrong{".extern .const .u32 a[] = {5};", "'a' is .extern, but has an initial value"},
                    Wrong{".entry a(){ ret; } .func b(); .alias b, a;", "'a' is a kernel"},
                    Wrong{".entry g(){ ret; } .func f(){ call g; ret; }", "'g' is a kernel"}));
INSTANTIATE_TEST_SUITE_P(linkage, AcceptedModule,
                         testing::Values(".common .global .b32 x = 4;", ".weak .entry k(){ ret; }",
                                         ".extern .entry k();", ".weak .shared .u32 a;",
                                         ".entry g(){ ret; } .func f(){ .reg .b64 d; mov.u64 d, g; ret; }"));

const char* const callee = ".func (.param .b32 r) f(.param .b32 a){ ret; }";
std::string call(std::string_view body) {
  return std::string(callee) + " .entry k(.param .b32 p){ .param .b32 r0; " + std::string(body) + " ret; }";
}

TEST(Calls, argument_of_another_size_is_refused) {
  EXPECT_THAT(errors(call(".param .b64 x; call (r0), f, (x);")),
              testing::HasSubstr("argument 1 of the call of 'f' is of another type or size"));
}
TEST(Calls, argument_that_is_aligned_otherwise_is_refused) {
  EXPECT_THAT(errors(call(".param .align 16 .b32 x; call (r0), f, (x);")),
              testing::HasSubstr("is aligned otherwise"));
}
TEST(Calls, parameter_of_the_caller_is_no_argument) {
  EXPECT_THAT(errors(call("call (r0), f, (p);")),
              testing::HasSubstr("is a parameter of the calling function"));
}
TEST(Calls, constant_is_no_result) {
  EXPECT_THAT(errors(call("call (1), f, (1);")),
              testing::HasSubstr("result 1 of the call of 'f' is a constant"));
}
TEST(Calls, registers_and_constants_of_the_formal_types_are_accepted) {
  EXPECT_EQ(errors(call(".reg .f32 x; call (r0), f, (x); call (_), f, (1); call (x), f, (0f3F800000);")), "");
}

// What another module defines may be announced as often as one likes, and beside its definition.
INSTANTIATE_TEST_SUITE_P(
    variables_from_elsewhere, AcceptedModule,
    testing::Values(".extern .global .u32 x; .extern .global .u32 x;",
                    ".extern .global .u32 x[4]; .extern .global .u32 x[];",
                    ".extern .global .u32 x; .visible .global .u32 x = 3;",
                    ".visible .global .u32 x; .extern .global .u32 x;",
                    ".global .u32 x; .extern .global .u32 x;",
                    ".extern .shared .align 16 .b8 s[]; .extern .shared .align 8 .b8 s[];"));
INSTANTIATE_TEST_SUITE_P(
    variables_from_elsewhere, RefusedModule,
    testing::Values(Wrong{".extern .global .u32 x; .extern .global .s32 x;", "'x' is declared twice"},
                    Wrong{".extern .global .u32 x[4]; .extern .global .u32 x[8];", "'x' is declared twice"},
                    Wrong{".extern .global .u32 x; .global .u32 x;", "'x' is declared twice"},
                    Wrong{".visible .global .u32 x; .visible .global .u32 x;", "'x' is declared twice"},
                    Wrong{".weak .global .u32 x; .weak .global .u32 x;", "'x' is declared twice"}));
INSTANTIATE_TEST_SUITE_P(linkage_of_functions, AcceptedModule,
                         testing::Values(".visible .func f(); .func f() { ret; }",
                                         ".weak .func f(); .func f() { ret; }",
                                         ".func f(); .func f(); .func f() { ret; }"));
INSTANTIATE_TEST_SUITE_P(
    linkage_of_functions, RefusedModule,
    testing::Values(
        Wrong{".func f(); .visible .func f() { ret; }", "'f' is declared again with another linkage"},
        Wrong{".extern .func f(); .func f() { ret; }", "declared again with another linkage"},
        Wrong{".extern .func f(); .visible .func f() { ret; }", "declared again with another linkage"},
        Wrong{".weak .func f(); .visible .func f() { ret; }", "declared again with another linkage"},
        Wrong{".visible .func f(); .weak .func f() { ret; }", "declared again with another linkage"},
        Wrong{".visible .func f() { ret; } .visible .func f();", "declared again behind its definition"}));
INSTANTIATE_TEST_SUITE_P(
    of_functions_that_do_not_return, RefusedModule,
    testing::Values(Wrong{".func (.reg .b32 r) f() .noreturn { ret; }",
                          "'f' returns a value, but is .noreturn"},
                    Wrong{".func f() .noreturn .noreturn { exit; }", "a second .noreturn"},
                    Wrong{".func f() .abi_preserve 5 .abi_preserve 5 { ret; }", "a second .abi_preserve"},
                    Wrong{".func f() .noreturn; .func f() { ret; }", "declared again without .noreturn"},
                    Wrong{".func f(); .func f() .noreturn { exit; }", "declared again with .noreturn"}));
INSTANTIATE_TEST_SUITE_P(
    attributes, RefusedModule,
    testing::Values(
        Wrong{".const .attribute(.managed) .u32 x;", "'x' cannot have attributes"},
        Wrong{".global .attribute(.unified(1)) .u32 x;", "expected ',' after the first half of a UUID"},
        Wrong{".global .attribute(.xx) .u32 x;", "expected an attribute, but found '.xx'"},
        Wrong{".func .attribute(.managed) f() { ret; }", "only .global variables can be .managed"},
        Wrong{".entry k() .unified { ret; }", "unknown directive '.unified' for a function"}));
INSTANTIATE_TEST_SUITE_P(
    aliases, RefusedModule,
    testing::Values(
        Wrong{".weak .func f() { ret; } .visible .func g(); .alias g, f;", "'f' is .weak"},
        Wrong{".visible .func f() { ret; } .visible .func g() { ret; } .alias g, f;", "'g' has a body"},
        Wrong{".visible .func f() { ret; } .visible .func g(.param .b32 x); .alias g, f;",
              "'g' does not have the signature of 'f'"},
        Wrong{".visible .entry f() { ret; } .visible .func g(); .alias g, f;", "'f' is a kernel"}));

// A call by address fits the prototype that it names.
std::string call_by_address(std::string_view statement) {
  return ".func (.param .b32 r) g(.param .b32 a) { ret; }\n.entry k() { .reg .b64 f; .reg .b32 a;\n"
         "p: .callprototype (.param .b32 _) _ (.param .b32 _);\n.param .b32 x; .param .b32 y; .param .b64 "
         "w;\n"
         "mov.u64 f, g; " +
         std::string(statement) + " ret; }";
}

class RefusedCall : public WrongText {};
TEST_P(RefusedCall, is_one_error_that_says_why) {
  expect_only_error(errors(call_by_address(GetParam().text)), GetParam().message);
}
INSTANTIATE_TEST_SUITE_P(
    by_address, RefusedCall,
    testing::Values(Wrong{"call (x, x), f, (y), p;", "'p' returns 1 values, but 2 are taken"},
                    Wrong{"call f, (y), p;", "'p' returns 1 values, but 0 are taken"},
                    Wrong{"call (x), f, p;", "'p' takes 1 arguments, but 0 are given"},
                    Wrong{"call (x), f, (y, y), p;", "'p' takes 1 arguments, but 2"},
                    Wrong{"call (x), g, (y), p;", "a prototype behind a function's name"},
                    Wrong{"call (w), f, (y), p;", "result 1 of the call of 'p' is of another type or size"},
                    Wrong{"call (x), f, (w), p;", "argument 1 of the call of 'p' is of another"},
                    Wrong{"q: .callprototype (.param .b32 _) _ () .noreturn;",
                          "a .noreturn prototype returns a value"},
                    Wrong{"call (x), f, (y);", "an indirect call needs a prototype"}));

class AcceptedCall : public Text {};
TEST_P(AcceptedCall, has_no_error) { EXPECT_EQ(errors(call_by_address(GetParam())), ""); }
INSTANTIATE_TEST_SUITE_P(by_address, AcceptedCall,
                         testing::Values("call (x), f, (y), p;", "call (a), f, (a), p;",
                                         "call (x), g, (y);"));

} // namespace
} // namespace kerncast::ptx
