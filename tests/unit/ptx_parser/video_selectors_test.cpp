// Which parts of a register a video instruction may name (PTX ISA, section 9.7.18): one byte or half; on four
// bytes or two halves a part for each result, counted through both sources, and a mask of results. Each
// statement was put to ptxas 13.0, with the same result.
#include "cases.h"

namespace kerncast::ptx {
namespace {

class Selects : public Text {};
TEST_P(Selects, and_is_accepted) { EXPECT_EQ(errors_in_body(GetParam()), ""); }

INSTANTIATE_TEST_SUITE_P(one_part, Selects,
                         testing::Values("vadd.u32.u32.u32 u32.b0, u32.b1, u32.h1, u32;",
                                         "vmad.u32.u32.u32 u32, u32.b1, u32.h1, u32;"));
INSTANTIATE_TEST_SUITE_P(four_bytes, Selects,
                         testing::Values("vadd4.u32.u32.u32 u32.b3210, u32.b7654, u32.b0123, u32;",
                                         "vadd4.u32.u32.u32 u32.b31, u32.b0000, u32.b4455, u32;",
                                         "vadd4.u32.u32.u32.add u32.b3, u32, u32, u32;",
                                         "vset4.u32.u32.eq u32.b210, u32.b3210, u32, u32;"));
INSTANTIATE_TEST_SUITE_P(two_halves, Selects,
                         testing::Values("vadd2.u32.u32.u32 u32.h10, u32.h32, u32.h10, u32;",
                                         "vadd2.u32.u32.u32 u32.h1, u32.h33, u32.h00, u32;",
                                         "vset2.u32.u32.eq u32.h0, u32.h10, u32, u32;"));

class Misselects : public Text {};
TEST_P(Misselects, and_is_one_error_about_the_operand) {
  const std::string errors = errors_in_body(GetParam());
  EXPECT_EQ(errors.substr(0, 8), "operand ");
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
}

INSTANTIATE_TEST_SUITE_P(
    one_part, Misselects,
    testing::Values("vadd.u32.u32.u32 u32, u32.b10, u32;", "vadd.u32.u32.u32 u32, u32.h10, u32;",
                    "vadd.u32.u32.u32 u32.b0, u32.b1, u32;", "vadd.u32.u32.u32 u32, u32.b4, u32;",
                    "vadd.u32.u32.u32 u32, u32.h2, u32;", "vmad.u32.u32.u32 u32.b0, u32, u32, u32;",
                    "vmad.u32.u32.u32 u32, u32, u32, u32.b0;"));
INSTANTIATE_TEST_SUITE_P(
    mask, Misselects,
    testing::Values("vadd4.u32.u32.u32 u32.b01, u32, u32, u32;", "vadd4.u32.u32.u32 u32.b4, u32, u32, u32;",
                    "vadd4.u32.u32.u32 u32.b33, u32, u32, u32;", "vadd4.u32.u32.u32 u32.h10, u32, u32, u32;",
                    "vadd2.u32.u32.u32 u32.h01, u32, u32, u32;", "vadd2.u32.u32.u32 u32.h2, u32, u32, u32;"));
INSTANTIATE_TEST_SUITE_P(source, Misselects,
                         testing::Values("vadd4.u32.u32.u32 u32, u32.b0, u32, u32;",
                                         "vadd4.u32.u32.u32 u32, u32.b321, u32, u32;",
                                         "vadd4.u32.u32.u32 u32, u32.b8000, u32, u32;",
                                         "vadd4.u32.u32.u32 u32, u32.h10, u32, u32;",
                                         "vadd4.u32.u32.u32 u32, u32, u32, u32.b3210;",
                                         "vadd2.u32.u32.u32 u32, u32.h0, u32, u32;",
                                         "vadd2.u32.u32.u32 u32, u32.h43, u32, u32;",
                                         "vadd2.u32.u32.u32 u32, u32.b3210, u32, u32;"));

} // namespace
} // namespace kerncast::ptx
