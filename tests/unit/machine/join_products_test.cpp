// mul.lo and mul.hi of the same operands are one operation.
#include <gmock/gmock.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::TaskKind;
using ::testing::ElementsAre;

// Two values and their products, which are stored.
ListWriter products(const std::string& first, const std::string& second,
                    const std::vector<tasklist::ValueId>& operands_of_second) {
  ListWriter w = ptx_list();
  w.add("add.s32", {0}, {});
  w.add("add.s32", {1}, {});
  w.add(first, {2}, {0, 1});
  w.add(second, {3}, operands_of_second);
  w.add("st.global.u32", {}, {2, 3}, TaskKind::store);
  return w;
}

configs::Gpu gpu_of_products(bool is_wide_product_one = true) {
  auto gpu = gpu_with({"mul.lo.u32", "mul.lo.s32", "mul.hi.u32", "mul.hi.s32", "mul.wide.s32"});
  auto table = std::make_shared<configs::IsaTable>(*gpu.isa);
  table->rows.push_back(row({"mul", "wide", "u32"}, {on(alu, 3, false, is_wide_product_one ? 1 : 3)}));
  gpu.isa = table;
  return gpu;
}

TEST(JoinProducts, both_halves_are_one_operation) {
  for (const char* const upper : {"mul.hi.u32", "mul.hi.s32"}) {
    EXPECT_THAT(tasks_on(gpu_of_products(), products("mul.lo.s32", upper, {0, 1})), ElementsAre(0, 1, 2, 4));
    EXPECT_THAT(tasks_on(gpu_of_products(), products(upper, "mul.lo.u32", {1, 0})), ElementsAre(0, 1, 2, 4));
  }
}

TEST(JoinProducts, the_store_waits_for_the_one_operation) {
  const auto program = annotate(products("mul.lo.u32", "mul.hi.u32", {0, 1}).list, gpu_of_products());
  ASSERT_TRUE(program);
  EXPECT_THAT(waits_for(*program, 3), ElementsAre(2));
}

TEST(JoinProducts, other_products_are_two) {
  EXPECT_EQ(tasks_on(gpu_of_products(), products("mul.lo.u32", "mul.hi.u32", {0, 0})).size(), 5u);
  EXPECT_EQ(tasks_on(gpu_of_products(), products("mul.hi.u32", "mul.hi.s32", {0, 1})).size(), 5u);
  EXPECT_EQ(tasks_on(gpu_of_products(), products("mul.lo.u32", "mul.hi.u32", {0, 1}), {"products"}).size(),
            5u);
}

TEST(JoinProducts, stay_where_a_wide_product_is_several_operations) {
  EXPECT_EQ(tasks_on(gpu_of_products(false), products("mul.lo.u32", "mul.hi.u32", {0, 1})).size(), 5u);
}

// The upper half is that of another product.
TEST(JoinProducts, stay_where_an_operand_is_written_again) {
  ListWriter w = ptx_list();
  w.add("add.s32", {0}, {});
  w.add("add.s32", {1}, {});
  w.add("mul.lo.u32", {2}, {0, 1});
  w.add("add.s32", {0}, {1});
  w.add("mul.hi.u32", {3}, {0, 1});
  w.add("st.global.u32", {}, {2, 3}, TaskKind::store);
  EXPECT_EQ(tasks_on(gpu_of_products(), w).size(), 6u);
}

} // namespace
} // namespace kerncast::machine::testing
