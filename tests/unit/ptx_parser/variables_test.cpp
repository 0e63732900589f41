// Declared memory: sizes, dimensions, attributes and initial values.
#include "ptx_text.h"

#include <gmock/gmock.h>

namespace kerncast::ptx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Variable global(const std::string& declaration) {
  static Module kept;
  kept = parsed(".version 8.0 .target sm_80 .global .u32 other; .func f() { ret; } " + declaration);
  return kept.globals.empty() ? Variable{} : kept.globals.back();
}

std::string error_of(const std::string& declaration) {
  return errors_in(".version 8.0 .target sm_80 .global .u32 other; " + declaration);
}

TEST(Variables, sizes_are_element_times_vector_times_dimensions) {
  EXPECT_EQ(global(".global .v4 .f32 x[2][3];").bytes(), 4U * 4 * 2 * 3);
  EXPECT_EQ(global(".global .f64 x;").bytes(), 8U);
  EXPECT_EQ(global(".extern .shared .align 16 .b8 x[];").bytes(), 0U);
  EXPECT_FALSE(global(".extern .shared .align 16 .b8 x[];").elements);
}

TEST(Variables, initial_values_are_little_endian_bytes) {
  EXPECT_THAT(global(".global .u16 x[3] = {1, -2};").initial_bytes, ElementsAre(1, 0, 0xFE, 0xFF));
  EXPECT_THAT(global(".global .f32 x = 1.5;").initial_bytes, ElementsAre(0, 0, 0xC0, 0x3F));
  EXPECT_THAT(global(".global .b32 x = 0f3FC00000;").initial_bytes, ElementsAre(0, 0, 0xC0, 0x3F));
  EXPECT_THAT(global(".global .f64 x = 0d3FF8000000000000;").initial_bytes,
              ElementsAre(0, 0, 0, 0, 0, 0, 0xF8, 0x3F));
}

TEST(Variables, nested_braces_fill_row_by_row) {
  // Rows of two bytes: row 0 begins at byte 0, row 1 at byte 2.
  EXPECT_THAT(global(".global .u8 x[2][2] = {{1}, {3, 4}};").initial_bytes, ElementsAre(1, 0, 3, 4));
}

TEST(Variables, open_dimension_is_closed_by_its_value) {
  EXPECT_EQ(global(".global .u8 x[] = {1, 2, 3};").elements, 3U);
  EXPECT_EQ(global(".global .u8 x[][2] = {{1, 2}, {3, 4}, {5}};").elements, 6U);
}

TEST(Variables, addresses_in_initial_values_keep_symbol_and_place) {
  const Variable v = global(".global .u64 x[4] = {other, other+8, generic(other)+1, f};");
  ASSERT_EQ(v.initial_addresses.size(), 4U);
  EXPECT_EQ(v.initial_addresses[1].offset, 8U);
  EXPECT_EQ(v.initial_addresses[1].addend, 8);
  EXPECT_TRUE(v.initial_addresses[2].is_generic);
  EXPECT_EQ(v.initial_addresses[3].symbol, "f");
  EXPECT_EQ(global(".global .u8 x = 0xFF00(other);").initial_addresses[0].mask, 0xFF00U);
}

TEST(Variables, wrong_initial_values_are_errors) {
  EXPECT_THAT(error_of(".global .u8 x[2] = {1, 2, 3};"),
              HasSubstr("has 2 elements, but the initial value has more"));
  EXPECT_THAT(error_of(".global .u8 x[2][2] = {1, 2, 3, 4};"), HasSubstr("expected '{' for each of the 2"));
  EXPECT_THAT(error_of(".global .u8 x = {1};"), HasSubstr("too many levels of braces"));
  EXPECT_THAT(error_of(".global .u64 x = nothing;"), HasSubstr("undeclared variable or function 'nothing'"));
  EXPECT_THAT(error_of(".shared .u8 x = 1;"), HasSubstr("cannot have an initial value"));
}

TEST(Variables, absurd_sizes_are_refused) {
  EXPECT_THAT(error_of(".global .u8 x[4294967295][4294967295];"), HasSubstr("larger than any GPU's memory"));
  EXPECT_THAT(error_of(".global .u8 x[-1];"), HasSubstr("whole number"));
  EXPECT_THAT(error_of(".global .u8 x[2][1000000000] = {{1}, {2}};"),
              HasSubstr("initial values of this module span more than"));
  EXPECT_THAT(error_of(".global .align 3 .u8 x;"), HasSubstr("power of two"));
}

TEST(Variables, parameters_keep_their_attributes) {
  const Module m =
      parsed(".version 8.0 .target sm_80 "
             ".entry k(.param .u64 .ptr .global .align 16 a, .param .align 4 .b8 b[12]) { ret; }");
  const auto& parameters = m.functions[0].parameters;
  ASSERT_EQ(parameters.size(), 2U);
  EXPECT_TRUE(parameters[0].is_pointer);
  EXPECT_EQ(parameters[0].pointee, Space::global);
  EXPECT_EQ(parameters[1].bytes(), 12U);
  EXPECT_EQ(parameters[1].alignment, 4U);
}

} // namespace
} // namespace kerncast::ptx
