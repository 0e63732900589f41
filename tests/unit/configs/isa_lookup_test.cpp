// The most specific row that fits an operation is its row.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

IsaRow row(std::vector<std::string> tokens) {
  IsaRow result;
  result.tokens = std::move(tokens);
  return result;
}

const IsaTable table{"test",
                     {row({"mul"}), row({"mul", "lo", "s32"}), row({"mul", "lo"}), row({"mul", "s64"}),
                      row({"cvt", "f32", "s32"}), row({"cvt", "s32", "f32"}), row({"cvt", "f32", "f32"})}};

std::vector<std::string> found_in(const IsaTable& isa, std::string_view operation) {
  const IsaRow* result = isa.find(operation);
  return result != nullptr ? result->tokens : std::vector<std::string>{};
}

// With an index the answer is the same.
std::vector<std::string> found(std::string_view operation) {
  IsaTable indexed = table;
  indexed.index_rows();
  EXPECT_EQ(found_in(indexed, operation), found_in(table, operation));
  EXPECT_EQ(indexed.has_row(operation), table.has_row(operation));
  return found_in(table, operation);
}

TEST(IsaLookup, MostModifiersWin) {
  EXPECT_THAT(found("mul.lo.s32"), testing::ElementsAre("mul", "lo", "s32"));
  EXPECT_THAT(found("mul.lo.u32"), testing::ElementsAre("mul", "lo"));
  EXPECT_THAT(found("mul.hi.u32"), testing::ElementsAre("mul"));
}

TEST(IsaLookup, ModifiersInBetweenDoNotMatter) {
  EXPECT_THAT(found("mul.lo.sat.s32"), testing::ElementsAre("mul", "lo", "s32"));
}

TEST(IsaLookup, OrderOfTypesMatters) {
  EXPECT_THAT(found("cvt.rn.f32.s32"), testing::ElementsAre("cvt", "f32", "s32"));
  EXPECT_THAT(found("cvt.rzi.s32.f32"), testing::ElementsAre("cvt", "s32", "f32"));
}

TEST(IsaLookup, ModifierCountsAsOftenAsItOccurs) {
  EXPECT_THAT(found("cvt.rmi.f32.f32"), testing::ElementsAre("cvt", "f32", "f32"));
  EXPECT_THAT(found("cvt.rn.f32.f64"), testing::IsEmpty());
}

TEST(IsaLookup, OpcodeMustBeTheSame) {
  EXPECT_THAT(found("mul24.lo.s32"), testing::IsEmpty());
  EXPECT_THAT(found("s32.mul"), testing::IsEmpty());
  EXPECT_THAT(found(""), testing::IsEmpty());
}

TEST(IsaLookup, FirstOfEquallySpecificRowsIsFoundAndTheOtherIsItsRival) {
  // mul.lo and mul.s64 both have one modifier of mul.lo.s64.
  EXPECT_THAT(found("mul.lo.s64"), testing::ElementsAre("mul", "lo"));
  ASSERT_NE(table.rival("mul.lo.s64"), nullptr);
  EXPECT_THAT(table.rival("mul.lo.s64")->tokens, testing::ElementsAre("mul", "s64"));
  EXPECT_EQ(table.rival("mul.lo.s32"), nullptr);
  EXPECT_EQ(table.rival("div.s32"), nullptr);
}

TEST(IsaLookup, NearerTableReplacesRowsOfItsBase) {
  const Gpu maxwell = shipped_gpu("titan-x");
  const Gpu kepler = shipped_gpu("k40m");
  EXPECT_EQ(maxwell.isa->find("mul.lo.s32")->machine.size(), 3U);                     // XMAD
  EXPECT_EQ(kepler.isa->find("mul.lo.s32")->machine.size(), 1U);                      // replaced
  EXPECT_EQ(kepler.isa->find("add.s32")->place, maxwell.isa->find("add.s32")->place); // inherited
}

} // namespace
} // namespace kerncast::configs::test
