// A special register is read as what it is: by instructions of its width, vectors as vectors, the predicate
// as a predicate. Each statement was put to ptxas 13.0, with the same result.
#include "cases.h"

namespace kerncast::ptx {
namespace {

class SpecialRead : public Text {};
TEST_P(SpecialRead, is_accepted) { EXPECT_EQ(errors_in_body(GetParam()), ""); }

INSTANTIATE_TEST_SUITE_P(predicate, SpecialRead,
                         testing::Values("mov.pred p, %is_explicit_cluster;",
                                         "mov.pred p, !%is_explicit_cluster;"));
INSTANTIATE_TEST_SUITE_P(of_its_width, SpecialRead,
                         testing::Values("mov.u32 u32, %tid.x;", "mov.s32 s32, %ctaid.w;",
                                         "mov.b32 f32, %laneid;", "mov.u64 u64, %clock64;",
                                         "mov.b64 f64, %globaltimer;", "mov.u32 u32, %globaltimer_lo;",
                                         "mov.u32 u32, %envreg31;", "mov.u32 u32, %pm7;",
                                         "mov.u64 u64, %pm7_64;", "mov.u64 u64, %current_graph_exec;",
                                         "mov.u32 b32, %cluster_ctaid.x;"));
INSTANTIATE_TEST_SUITE_P(of_16_bits_in_version_1, SpecialRead,
                         testing::Values("mov.u16 u16, %tid.x;", "mov.b16 b16, %nctaid.z;",
                                         "mov.u16 u16, %gridid;", "mov.u32 u32, %gridid;",
                                         "mov.u64 u64, %gridid;"));
INSTANTIATE_TEST_SUITE_P(converted_to_an_integer, SpecialRead,
                         testing::Values("cvt.u16.u32 u16, %tid.x;", "cvt.u32.u16 u32, %ctaid.x;",
                                         "cvt.u64.u32 u64, %laneid;", "cvt.u32.u64 u32, %clock64;",
                                         "cvt.u8.u32 u32, %clock64;", "cvt.s64.s32 s64, %warpid;"));
INSTANTIATE_TEST_SUITE_P(in_vectors, SpecialRead,
                         testing::Values("mov.v4.u32 {u32, s32, b32, %r1}, %tid;",
                                         "mov.v4.u16 {u16, u16, u16, u16}, %ntid;", "mov.b128 b128, %tid;",
                                         "mov.b64 b64, {%tid.x, %tid.y};", "mov.b64 b64, {%laneid, f32};",
                                         "mov.b64 {u32, b32}, %clock64;", "mov.b32 {u16, u16}, %tid.x;",
                                         "st.global.v2.f32 [gv], {%tid.x, f32};",
                                         "st.global.v2.u64 [gv], {%clock64, u64};",
                                         "tex.1d.v4.f32.s32 {f32, f32, f32, f32}, [u64, {%tid.x}];"));

using Misread = Wrong;

class SpecialMisread : public WrongText {};
TEST_P(SpecialMisread, is_one_error_that_says_why) {
  expect_only_error(errors_in_body(GetParam().text), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    as_another_width, SpecialMisread,
    testing::Values(Misread{"mov.u64 u64, %tid.x;", "special register %tid.x of type .u32"},
                    Misread{"mov.u32 u32, %clock64;", "special register %clock64 of type .u64"},
                    Misread{"mov.u64 u64, %clock;", "special register %clock of type .u32"},
                    Misread{"mov.u32 u32, %globaltimer;", "special register %globaltimer of type .u64"},
                    Misread{"mov.u16 u16, %laneid;", "special register %laneid of type .u32"},
                    Misread{"mov.u16 u16, %cluster_ctaid.x;",
                            "special register %cluster_ctaid.x of type .u32"},
                    Misread{"cvt.u32.u64 u32, %tid.x;", "special register %tid.x of type .u32"}));
INSTANTIATE_TEST_SUITE_P(
    as_another_type, SpecialMisread,
    testing::Values(Misread{"mov.u32 u32, %is_explicit_cluster;",
                            "special register %is_explicit_cluster of type .pred"},
                    Misread{"mov.pred p, %tid.x;", "special register %tid.x of type .u32"},
                    Misread{"mov.f32 f32, %tid.x;", "special register %tid.x of type .u32"},
                    Misread{"cvt.f64.f32 f64, %tid.x;", "which cvt makes other integers of"},
                    Misread{"cvt.rn.f32.u32 f32, %tid.x;", "which cvt makes other integers of"}));
INSTANTIATE_TEST_SUITE_P(
    as_a_vector_or_a_part, SpecialMisread,
    testing::Values(Misread{"mov.u32 u32, %tid;", "special register %tid, a vector of 4 of type .u32"},
                    Misread{"cvt.u32.u32 u32, %tid;", "special register %tid, a vector of 4 of type .u32"},
                    Misread{"mov.v2.u32 {u32, u32}, %tid;", "special register %tid, a vector of 4"},
                    Misread{"mov.u32 u32, %laneid.x;", "special register %laneid has no component '.x'"},
                    Misread{"mov.u32 u32, %tid.w2;", "special register %tid has no component '.w2'"},
                    Misread{"mov.b64 b64, {%tid.x, %clock64};", "is a vector of 2"},
                    Misread{"mov.b32 b32, {%tid.x, b16};", "is a vector of 2"},
                    Misread{"mov.b64 b64, {%tid, b32};", "is a vector of 2"},
                    Misread{"st.global.v2.u64 [gv], {%clock, %clock};", "must be a vector of 2"},
                    Misread{"tex.1d.v4.f32.s32 {f32, f32, f32, f32}, [u64, {%clock64}];", "coordinates"}));
INSTANTIATE_TEST_SUITE_P(
    by_another_instruction, SpecialMisread,
    testing::Values(Misread{"and.pred p, p, %is_explicit_cluster;", "which only mov and cvt read"},
                    Misread{"cvta.to.global.u64 u64, %clock64;", "which only mov and cvt read"},
                    Misread{"st.global.u32 [gv], %tid.x;", "which only mov and cvt read"}));

} // namespace
} // namespace kerncast::ptx
