// A function that is called executes at every call and lies in the code once.
#include <gtest/gtest.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::TaskKind;

// Three calls, two of them of one function with two additions each.
tasklist::Tasklist three_calls() {
  ListWriter w = ptx_list();
  w.list.calls = {"twice", "once", "twice"};
  for (std::uint32_t call = 0; call < 3; ++call)
    for (std::uint32_t i = 0; i < 2; ++i)
      w.add("add.s32", {call}, {call}).call = call;
  w.add("ret", {}, {}, TaskKind::exit);
  return w.list;
}

configs::Gpu gpu_with_calls() {
  auto rows = tiny_rows();
  rows.push_back(row({"function", "call"}, {on(alu, 6), on(alu, 2)}));
  return tiny_gpu(rows);
}

// Executed: 3 calls of 2 operations, 6 additions, ret. The code has the 2 additions of `twice` once.
TEST(Calls, a_function_lies_in_the_code_once) {
  const auto program = annotate(three_calls(), gpu_with_calls());
  ASSERT_TRUE(program);
  EXPECT_EQ(program->ops.size(), 3u * 2 + 6 + 1);
  EXPECT_EQ(program->static_instructions(), 3u * 2 + 4 + 1);
}

// `outer`, called twice, has three additions and calls `inner`, of one addition, between them. The code has
// the kernel's two calls, those two that `outer` makes once, both bodies once, and ret.
TEST(Calls, those_of_a_function_lie_in_its_code) {
  ListWriter w = ptx_list();
  w.list.calls = {"outer", "inner", "inner", "outer", "inner", "inner"};
  for (const std::uint32_t outer : {0u, 3u})
    for (const std::uint32_t call : {outer, outer + 1, outer, outer + 2, outer})
      w.add("add.s32", {call}, {call}).call = call;
  w.add("ret", {}, {}, TaskKind::exit);
  const auto program = annotate(w.list, gpu_with_calls());
  ASSERT_TRUE(program);
  EXPECT_EQ(program->ops.size(), 6u * 2 + 10 + 1);
  EXPECT_EQ(program->static_instructions(), 2u * 2 + 2 * 2 + 3 + 1 + 1);
}

// Compiled without optimisation functions are sections of their own: only ret is the kernel's.
TEST(Calls, without_optimisation_functions_lie_outside_of_the_kernel) {
  tasklist::Tasklist list = three_calls();
  list.is_debug = true;
  const auto program = annotate(list, tiny_gpu());
  ASSERT_TRUE(program);
  EXPECT_EQ(program->static_instructions(), 1u);
}

} // namespace
} // namespace kerncast::machine::testing
