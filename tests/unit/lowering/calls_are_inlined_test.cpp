// Calls become the callee's body; what cannot be followed is a located error.
#include "lower_ptx.h"
#include "lowering/inline_calls.h"

namespace kerncast::lowering {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const char* const increment = ".func (.param .b32 out) increment(.param .b32 in)\n"
                              "{ .reg .b32 %t; ld.param.b32 %t, [in]; add.s32 %t, %t, 1;"
                              " st.param.b32 [out], %t; ret; }";

// As nvcc writes a call.
const std::string call_increment = "{ .param .b32 param0; st.param.b32 [param0], %r1; .param .b32 retval0;\n"
                                   "call.uni (retval0), increment, (param0);\n"
                                   "ld.param.b32 %r2, [retval0]; }\n";

std::string messages(const std::string& text) {
  const auto module = parse_ptx(text);
  const auto list = lower(module, **select_kernel(module, "k"));
  return list ? "" : render(list.error());
}

TEST(Call, becomes_the_body_and_its_parameters_become_values) {
  const auto list = lower_module(
      kernel("mov.u32 %r1, %tid.x;\n" + call_increment + "st.global.u32 [%d1], %r2;", increment));
  // %t is written twice, so its load stays, as the register move that it is.
  EXPECT_THAT(operations(list), ElementsAre("mov.u32.special.tid.x", "mov.b32", "add.s32", "st.global.u32"));
  ASSERT_EQ(list.tasks.size(), 4U);
  for (std::uint32_t task = 1; task < 4; ++task) { // a chain from the thread index to the store
    EXPECT_THAT(list.dependencies(list.tasks[task]), ElementsAre(task - 1));
  }
}

TEST(Call, as_written_moves_arguments_and_results_through_registers) {
  const auto list = lower_module(
      kernel("mov.u32 %r1, %tid.x;\n" + call_increment + "st.global.u32 [%d1], %r2;", increment), as_written);
  EXPECT_THAT(operations(list), ElementsAre("mov.u32.special.tid.x", "mov.b32", "mov.b32", "add.s32",
                                            "mov.b32", "mov.b32", "st.global.u32"));
  for (std::uint32_t task = 1; task < 7; ++task) {
    EXPECT_THAT(list.dependencies(list.tasks[task]), ElementsAre(task - 1));
  }
}

TEST(Call, twice_with_one_parameter_name_keeps_the_calls_apart) {
  const auto list = lower_module(kernel("mov.u32 %r1, %tid.x;\n" + call_increment + "mov.u32 %r1, %tid.y;\n" +
                                            call_increment + "st.global.u32 [%d1], %r2;",
                                        increment),
                                 as_written);
  // Tasks 0-5 are the first call, 6-11 the second: nothing of the second waits for the first.
  ASSERT_EQ(list.tasks.size(), 13U);
  for (std::uint32_t task = 6; task < 13; ++task) {
    for (const auto dependency : list.dependencies(list.tasks[task])) {
      EXPECT_GE(dependency, 6U) << "task " << task;
    }
  }
}

TEST(Call, through_two_levels_reaches_the_innermost_body) {
  const std::string functions = std::string(increment) +
                                ".func (.param .b32 o) twice(.param .b32 i) { .reg .b32 %r<4>;\n"
                                "ld.param.b32 %r1, [i];\n" +
                                call_increment +
                                "{ .param .b32 param0; st.param.b32 [param0], %r2; .param .b32 retval0;\n"
                                "call (retval0), increment, (param0); ld.param.b32 %r3, [retval0]; }\n"
                                "st.param.b32 [o], %r3; ret; }";
  const auto list =
      lower_module(kernel("{ .param .b32 param0; st.param.b32 [param0], 5; .param .b32 retval0;\n"
                          "call (retval0), twice, (param0); ld.param.b32 %r1, [retval0]; }\n"
                          "st.global.u32 [%d1], %r1;",
                          functions));
  const auto names = operations(list);
  EXPECT_EQ(std::count(names.begin(), names.end(), "add.s32"), 2);
  EXPECT_THAT(list.dependencies(list.tasks.back()), ElementsAre(list.tasks.size() - 2));
}

TEST(Call, with_register_parameters_moves_them) {
  const auto list =
      lower_module(kernel("call (%r2), add_one, (%r1);\nst.global.u32 [%d1], %r2;",
                          ".func (.reg .u32 r) add_one(.reg .u32 a) { add.u32 r, a, 1; ret; }"));
  EXPECT_THAT(operations(list), ElementsAre("add.u32", "st.global.u32"));
}

TEST(Call, under_a_guard_branches_around_the_body) {
  const auto list =
      lower_module(kernel("@%p1 call fail;\nst.global.u32 [%d1], %r2;", ".func fail() { trap; }"));
  EXPECT_THAT(operations(list), ElementsAre("bra", "trap", "st.global.u32"));
  EXPECT_THAT(list.blocks[0].successors, ElementsAre(2, 1));
}

TEST(Call, with_early_return_goes_on_behind_the_call) {
  const auto list = lower_module(kernel("call f;\nst.global.u32 [%d1], %r2;",
                                        ".func f() { .reg .pred %q; .reg .b32 %r; mov.u32 %r, %tid.x;\n"
                                        "setp.eq.u32 %q, %r, 0; @%q ret; bar.sync 0; ret; }"));
  EXPECT_THAT(operations(list),
              ElementsAre("mov.u32.special.tid.x", "setp.eq.u32", "bra", "bar.sync", "st.global.u32"));
  EXPECT_THAT(list.blocks[0].successors, ElementsAre(2, 1));
}

TEST(Call, of_aggregates_connects_pieces_by_their_offset) {
  const auto list = lower_module(
      kernel("{ .param .align 8 .b8 param0[16]; st.param.b64 [param0], %d1; st.param.b64 [param0+8], %d2;\n"
             "call take, (param0); }",
             ".func take(.param .align 8 .b8 a[16]) { .reg .b64 %x<3>; ld.param.v2.b64 {%x1, %x2}, [a];\n"
             "st.global.u64 [%x2], %x1; ret; }"));
  EXPECT_THAT(operations(list), ElementsAre("st.global.u64"));
  EXPECT_EQ(list.uses(list.tasks[0]).size(), 2U);
}

// Of a structure, what is loaded as it was stored is moved; an element of other bytes stays in memory.
TEST(Call, as_written_moves_members_that_are_loaded_as_they_were_stored) {
  const auto operations_with = [](const std::string& load) {
    return operations(lower_module(
        kernel("{ .param .align 8 .b8 param0[16]; st.param.b64 [param0], %d1; st.param.b64 [param0+8], %d2;\n"
               "call take, (param0); }",
               ".func take(.param .align 8 .b8 a[16]) { .reg .b64 %x<3>; .reg .b32 %y; ld.param.b64 %x1, "
               "[a];\n" +
                   load + "\nst.global.u32 [%x1], %y; ret; }"),
        as_written));
  };
  EXPECT_THAT(operations_with("ld.param.b64 %x2, [a+8]; cvt.u32.u64 %y, %x2;"),
              ElementsAre("mov.b64", "mov.b64", "mov.b64", "mov.b64", "cvt.u32.u64", "st.global.u32"));
  EXPECT_THAT(operations_with("ld.param.u32 %y, [a+12];"),
              ElementsAre("mov.b64", "st.param.b64", "mov.b64", "ld.param.u32", "st.global.u32"));
}

TEST(Call, passes_pointers_on_so_that_the_parameter_is_known_as_one) {
  const auto list =
      lower_module(kernel("ld.param.u64 %d1, [p];\n"
                          "{ .param .b64 param0; st.param.b64 [param0], %d1; call f, (param0); }",
                          ".func f(.param .b64 a) { .reg .b64 %x; ld.param.b64 %x, [a];\n"
                          "st.global.u64 [%x], 1; ret; }"));
  EXPECT_TRUE(list.parameters[0].is_pointer);
}

TEST(Call, gives_a_function_that_indices_refer_to) {
  const auto module = parse_ptx(kernel(call_increment + "ret;", increment));
  const auto inlined = inline_calls(module, **select_kernel(module, ""));
  ASSERT_TRUE(inlined);
  EXPECT_FALSE(needs_inlining(inlined->function));
  const auto list = lower(module, inlined->function, as_written);
  ASSERT_TRUE(list);
  EXPECT_EQ(list->blocks.back().first_instruction + list->blocks.back().instruction_count,
            inlined->function.instructions.size());
}

const std::string printf_declaration = ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);";

// The arguments are read, the result is written by the call itself.
TEST(Call, of_a_function_of_the_driver_stays) {
  const std::string print =
      "{ .param .b64 param0; st.param.b64 [param0], %d2; .param .b64 param1;\n"
      "st.param.b64 [param1], %d3; .param .b32 retval0;\n"
      "call.uni (retval0), vprintf, (param0, param1);\nld.param.b32 %r2, [retval0]; }\n";
  const auto list = lower_module(
      kernel("cvt.u64.u32 %d2, %r1;\nld.global.u64 %d3, [%d1];\n" + print + "st.global.u32 [%d1], %r2;",
             printf_declaration));
  EXPECT_THAT(operations(list), ElementsAre("cvt.u64.u32", "ld.global.u64", "call.vprintf", "st.global.u32"));
  EXPECT_THAT(list.dependencies(list.tasks[2]), ElementsAre(0, 1));
  EXPECT_THAT(list.dependencies(list.tasks[3]), ElementsAre(2));
  EXPECT_TRUE(list.calls.empty());
}

TEST(Call, of_a_function_of_the_driver_under_a_guard_is_branched_around) {
  const auto list = lower_module(
      kernel("@%p1 call free, (%d1);\nst.global.u32 [%d2], %r2;", ".extern .func free(.param .b64 a);"));
  EXPECT_THAT(operations(list), ElementsAre("bra", "call.free", "st.global.u32"));
  EXPECT_THAT(list.blocks[0].successors, ElementsAre(2, 1));
}

TEST(Call, of_a_function_of_the_driver_keeps_to_its_signature) {
  EXPECT_THAT(
      messages(kernel("call (%r1), malloc, (%r2);", ".extern .func (.param .b32 r) malloc(.param .b32 a);")),
      HasSubstr("error: 'malloc' is declared with other parameters than CUDA's function of this name"));
  EXPECT_EQ(
      messages(kernel("call (%r1), malloc, (%r2);", ".func (.param .b32 r) malloc(.param .b32 a) { ret; }")),
      "");
}

TEST(Call, that_cannot_be_followed_is_a_located_error) {
  EXPECT_THAT(messages(kernel("call (%r1), helper, (%d1, %d2);",
                              ".extern .func (.param .b32 r) helper(.param .b64 a, .param .b64 b);")),
              HasSubstr("test.ptx:4:13: error: the called function 'helper' has no body here"));
  EXPECT_THAT(messages(kernel("call f;", ".func g(); .func f() { call g; ret; } .func g() { call f; ret; }")),
              HasSubstr("error: 'f' calls itself"));
}

// f and g have one prototype, h has another.
const std::string addressed =
    ".func f(.param .b32 a) { membar.cta; ret; }\n.func g(.param .b32 a) { membar.gl; ret; }\n"
    ".func h(.param .b64 a) { membar.sys; ret; }\n.global .u64 table[3] = {f, h, g};\n";
const std::string call_through_register =
    "{ .param .b32 p0; st.param.b32 [p0], 1; P: .callprototype _ (.param .b32 _);\ncall %d1, (p0), P; }\n";

TEST(Call, through_a_register_is_a_branch_to_all_functions_of_its_prototype) {
  const auto list = lower_module(kernel(call_through_register + "bar.sync 0;\nret;", addressed));
  EXPECT_THAT(operations(list), ElementsAre("brx.idx", "membar.cta", "bra", "membar.gl", "bar.sync", "ret"));
  EXPECT_THAT(list.calls, ElementsAre("f", "g"));
  EXPECT_THAT(list.blocks[0].successors, ElementsAre(1, 2));
  EXPECT_THAT(list.blocks[1].successors, ElementsAre(3));
  EXPECT_THAT(list.assumptions, Contains(HasSubstr("to the functions that it may reach: f, g")));
}

TEST(Call, through_a_register_reaches_aliases_and_functions_that_mov_names) {
  const auto list = lower_module(kernel("mov.u64 %d1, g;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 mov.u64 %d1, e;\n"
                                        "T: .calltargets f, g; call %d1, T;\nret;",
                                        ".func f() { membar.cta; ret; }\n.func g() { membar.gl; ret; "
                                        "}\n.func n() { membar.sys; ret; }\n.func e();\n.alias e, f;\n"));
  EXPECT_THAT(list.calls, ElementsAre("g", "f"));
}

TEST(Call, under_a_guard_through_a_register_is_branched_around) {
  std::string guarded = call_through_register;
  guarded.insert(guarded.find("call %d1"), "@%p1 ");
  const auto list = lower_module(kernel(guarded + "bar.sync 0;\nret;", addressed));
  EXPECT_EQ(operations(list).front(), "bra");
  EXPECT_THAT(list.blocks[0].successors, ElementsAre(4, 1));
}

// The only one that its list names; the place of the other one in the order stays empty.
TEST(Call, through_a_register_reaches_what_it_lists) {
  const auto list =
      lower_module(kernel("mov.u64 %d1, f;\nmov.u64 %d2, g;\nT: .calltargets g; call %d1, T;\nret;",
                          ".func f() { membar.cta; ret; }\n.func g() { membar.gl; ret; }\n"));
  EXPECT_THAT(list.calls, ElementsAre("g"));
  EXPECT_THAT(
      messages(kernel("T: .calltargets f, h; call %d1, T;", addressed)),
      HasSubstr("error: 'T' lists 'h', which takes other parameters or returns other results than 'f'"));
}

// wrap has the prototype of what it calls: it is taken not to call itself.
TEST(Call, through_a_register_in_a_function_of_the_same_prototype) {
  const auto list = lower_module(kernel("mov.u64 %d1, wrap;\nP: .callprototype _ (); call %d1, P;\nret;",
                                        ".func f() { membar.cta; ret; }\n.global .u64 t = f;\n"
                                        ".func wrap() { .reg .b64 %x;\nld.global.u64 %x, [t];\n"
                                        "P: .callprototype _ (); call %x, P; ret; }\n"));
  EXPECT_THAT(list.calls, ElementsAre("f", "wrap", "f"));
  EXPECT_THAT(list.assumptions,
              Contains(HasSubstr("taken not to reach functions that are being called: wrap")));
}

TEST(Call, of_one_function_twice_takes_its_local_memory_once) {
  const auto bytes_of = [](const std::string& body, const std::string& more) {
    return lower_module(kernel(body, ".func f(.param .b32 a) { .local .b8 x[400000]; ret; }\n" + more));
  };
  const std::string call = "{ .param .b32 p0; st.param.b32 [p0], 1; call f, (p0); }\n";
  EXPECT_EQ(bytes_of(call + call, "").local_bytes_per_thread, 400'000U);
  const std::string nested = ".func g(.param .b32 a) { .local .b8 y[200000];\n" + call + "ret; }\n";
  EXPECT_THAT(messages(kernel("{ .param .b32 p0; st.param.b32 [p0], 1; call g, (p0); }",
                              ".func f(.param .b32 a) { .local .b8 x[400000]; ret; }\n" + nested)),
              HasSubstr("its .local variables take 600000 bytes a thread"));
}

TEST(Call, through_a_register_that_can_reach_nothing_is_a_located_error) {
  EXPECT_THAT(messages(kernel("P: .callprototype _ (); call %d1, P;", addressed)),
              HasSubstr("test.ptx:8:30: error: this call can reach no function of the module"));
  EXPECT_THAT(messages(kernel("P: .callprototype _ (); call %d1, P;",
                              ".extern .func e();\n.global .u64 table = e;\n")),
              HasSubstr("error: the called function 'e' has no body here"));
  EXPECT_THAT(
      messages(kernel("call f;",
                      ".func f();\n.global .u64 t = f;\n.func f() { .reg .b64 %x;\nld.global.u64 %x, [t];\n"
                      "P: .callprototype _ (); call %x, P; ret; }")),
      HasSubstr("error: 'f' calls itself"));
}

TEST(Call, trees_that_double_at_every_level_are_refused) {
  for (const std::string leaf : {"bar.sync 0; ", ""}) {
    std::string functions = ".func f0() { " + leaf + "ret; }\n";
    for (int level = 1; level < 40; ++level) {
      const std::string below = "call f" + std::to_string(level - 1) + "; ";
      functions += ".func f" + std::to_string(level) + "() { " + below + below + "ret; }\n";
    }
    EXPECT_THAT(messages(kernel("call f39;", functions)),
                HasSubstr("expand to more than 1000000 instructions"));
  }
}

} // namespace
} // namespace kerncast::lowering
