// Half precision, conversions between formats, carries, saturation and video instructions, as the PTX manual
// defines them.
//
// f16: 1.0 is 0x3c00, the last place of 1.0 is 2^-10 = 0x1400; bf16: 1.0 is 0x3f80, its last place 2^-7.
#include "manual_cases.h"

namespace kerncast::slice_test {
namespace {

class RoundedOnce : public Manual {};
TEST_P(RoundedOnce, Lane1HasTheManualsResult) { expect_manuals_result(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Halves, RoundedOnce,
    testing::Values(
        Case{"add.f16 %half, %ha, %hb;", 0x3c00, 0x1400, 0, 0x3c01},
        Case{"add.f16 %half, %ha, %hb;", 0x3c00, 0x1000, 0, 0x3c00}, // half a place: to even
        Case{"add.f16 %half, %ha, %hb;", 0x3c01, 0x1000, 0, 0x3c02},
        Case{"add.f16 %half, %ha, %hb;", 0x7bff, 0x4c00, 0, 0x7c00}, // 65504 + 16 is half way to 2^16
        Case{"sub.f16 %half, %ha, %hb;", 0x7c00, 0x7c00, 0, 0x7fff}, // infinity - infinity
        Case{"mul.f16 %half, %ha, %hb;", 0x0400, 0x3800, 0, 0x0200}, // 2^-15 is subnormal
        Case{"mul.ftz.f16 %half, %ha, %hb;", 0x0400, 0x3800, 0, 0},
        Case{"add.sat.f16 %half, %ha, %hb;", 0x3c00, 0x3c00, 0, 0x3c00},
        // (1 + 2^-10)^2 = 1 + 2^-9 + 2^-20; less 1 + 2^-9 it is 2^-20, the 16th subnormal.
        Case{"fma.rn.f16 %half, %ha, %hb, %hc;", 0x3c01, 0x3c01, 0xbc02, 0x0010},
        Case{"fma.rn.relu.f16 %half, %ha, %hb, %hc;", 0x3c00, 0x3c00, 0xc000, 0},
        Case{"add.f16x2 %word, %ra, %rb;", 0x3c003c00, 0x40004400, 0, 0x42004500},
        Case{"add.rn.bf16 %half, %ha, %hb;", 0x3f80, 0x3b80, 0, 0x3f80},
        Case{"add.rn.bf16 %half, %ha, %hb;", 0x3f81, 0x3b80, 0, 0x3f82},
        Case{"fma.rn.bf16x2 %word, %ra, %rb, %rc;", 0x3f804000, 0x40003f80, 0x3f803f80, 0x40404040},
        Case{"neg.f16x2 %word, %ra;", 0x3c00bc00, 0, 0, 0xbc003c00},
        Case{"abs.bf16 %half, %ha;", 0xbf80, 0, 0, 0x3f80},
        Case{"min.f16 %half, %ha, %hb;", 0x7e00, 0x3c00, 0, 0x3c00},
        Case{"min.NaN.f16 %half, %ha, %hb;", 0x7e00, 0x3c00, 0, 0x7fff},
        Case{"min.f16 %half, %ha, %hb;", 0x0000, 0x8000, 0, 0x8000},
        Case{"max.NaN.xorsign.abs.f16 %half, %ha, %hb;", 0xc000, 0x3c00, 0, 0xc000},
        Case{"setp.lt.f16 %truth, %ha, %hb;", 0xbc00, 0x3c00, 0, 1},
        Case{"setp.ltu.f16 %truth, %ha, %hb;", 0x7e00, 0x3c00, 0, 1},
        Case{"setp.gt.f16x2 %other|%truth, %ra, %rb;", 0x40003c00, 0x3c003c00, 0, 1},
        Case{"setp.gt.f16x2 %truth|%other, %ra, %rb;", 0x40003c00, 0x3c003c00, 0, 0},
        Case{"setp.eq.ftz.f32 %truth, %fa, %fb;", 1, 0, 0, 1},
        Case{"setp.eq.f32 %truth, %fa, %fb;", 1, 0, 0, 0},
        Case{"set.ge.f16.f16 %half, %ha, %hb;", 0x4000, 0x3c00, 0, 0x3c00},
        Case{"set.ge.f16x2.f16x2 %word, %ra, %rb;", 0x40000000, 0x3c003c00, 0, 0x3c000000},
        Case{"min.xorsign.abs.f32 %float, %fa, %fb;", 0x40000000, 0xbf800000, 0, 0xbf800000},
        Case{"slct.u32.f32 %word, 7, 9, %fa;", 0x80000000, 0, 0, 7},
        Case{"slct.u32.f32 %word, 7, 9, %fa;", 0x7fc00000, 0, 0, 9}));

INSTANTIATE_TEST_SUITE_P(
    Formats, RoundedOnce,
    testing::Values(
        Case{"cvt.rn.f16.f32 %half, %fa;", 0x477ff000, 0, 0, 0x7c00}, // 65520
        Case{"cvt.rz.f16.f32 %half, %fa;", 0x477ff000, 0, 0, 0x7bff},
        Case{"cvt.f32.f16 %float, %ha;", 0x0001, 0, 0, 0x33800000}, // 2^-24
        Case{"cvt.f64.f16 %double, %ha;", 0xfc00, 0, 0, 0xfff0000000000000ULL},
        Case{"cvt.rn.bf16.f32 %half, %fa;", 0x3f808000, 0, 0, 0x3f80},
        Case{"cvt.rn.bf16.f32 %half, %fa;", 0x3f818000, 0, 0, 0x3f82},
        Case{"cvt.rn.relu.bf16.f32 %half, %fa;", 0xbf800000, 0, 0, 0},
        Case{"cvt.rn.f16x2.f32 %word, %fa, %fb;", 0x40000000, 0x3f800000, 0, 0x40003c00},
        Case{"cvt.rn.bf16x2.f32 %word, %fa, %fb;", 0x40000000, 0x3f800000, 0, 0x40003f80},
        Case{"cvt.rna.tf32.f32 %word, %fa;", 0x3f801000, 0, 0, 0x3f802000}, // half a place: away from zero
        Case{"cvt.rn.satfinite.e4m3x2.f32 %half, %fa, %fb;", 0x43e00000, 0xc4000000, 0, 0x7efe}, // 448, -512
        Case{"cvt.rn.satfinite.e5m2x2.f32 %half, %fa, %fb;", 0x3f800000, 0x40400000, 0, 0x3c42}, // 1, 3
        Case{"cvt.rn.f16x2.e4m3x2 %word, %ha;", 0x7e38, 0, 0, 0x5f003c00},                       // 448, 1
        Case{"cvt.rn.satfinite.e2m3x2.f32 %half, %fa, %fb;", 0x3f800000, 0x41000000, 0, 0x081f}, // 1, 8 > 7.5
        Case{"cvt.rn.satfinite.e3m2x2.f32 %half, %fa, %fb;", 0x7fc00000, 0xbf800000, 0, 0x1f2c}, // NaN, -1
        Case{"cvt.rn.f16x2.e2m3x2 %word, %ha;", 0x1f08, 0, 0, 0x47803c00},                       // 7.5, 1
        Case{"{ .reg .b8 %q;\ncvt.rn.satfinite.e2m1x2.f32 %q, %fa, %fb;\nmov.b32 %word, {%q, %q, %q, %q}; }",
             0x40c00000, 0x3f800000, 0, 0x72727272}, // 6, 1
        Case{"{ .reg .b8 %q, %s, %u, %v;\nmov.b32 {%q, %s, %u, %v}, %ra;\ncvt.rn.f16x2.e2m1x2 %word, %q; }",
             0xf1, 0, 0, 0xc6003800},                              // -6, 0.5
        Case{"cvt.rni.f16.f16 %half, %ha;", 0x4100, 0, 0, 0x4000}, // 2.5
        Case{"cvt.rzi.s32.f16 %word, %ha;", 0xc100, 0, 0, 0xfffffffe},
        Case{"cvt.rn.f16.s32 %half, %ra;", 2049, 0, 0, 0x6800}, // 2048 or 2050
        Case{"cvt.rp.f32.s32 %float, %ra;", 16777217, 0, 0, 0x4b800001},
        Case{"cvt.rm.f32.s32 %float, %ra;", 16777217, 0, 0, 0x4b800000},
        Case{"cvt.rz.f32.f64 %float, %da;", 0x3ff00000ffffffffULL, 0, 0, 0x3f800007},
        Case{"cvt.sat.f32.f32 %float, %fa;", 0x40000000, 0, 0, 0x3f800000},
        Case{"cvt.ftz.f32.f32 %float, %fa;", 0x80000001, 0, 0, 0x80000000},
        Case{"cvt.sat.u8.s32 %word, %ra;", 300, 0, 0, 255},
        Case{"cvt.sat.u8.s32 %word, %ra;", 0xfffffffb, 0, 0, 0},
        Case{"cvt.sat.s8.s32 %word, %ra;", 0xffffff38, 0, 0, 0xffffff80}, // -200
        Case{"cvt.sat.s32.u64 %word, %a;", 1ULL << 40, 0, 0, 0x7fffffff}));

// bf16: 448 is 0x43e0, 2^-9 0x3b00, 7.5 0x40f0, -6 0xc0c0, 0.5 0x3f00, 2^-10 0x3a80.
INSTANTIATE_TEST_SUITE_P(
    PairsOfNarrowFormats, RoundedOnce,
    testing::Values(
        Case{"cvt.rn.satfinite.e4m3x2.bf16x2 %half, %ra;", 0x43e0c400, 0, 0, 0x7efe}, // 448, -512
        Case{"cvt.rn.satfinite.e5m2x2.bf16x2 %half, %ra;", 0x3f804040, 0, 0, 0x3c42}, // 1, 3
        Case{"cvt.rn.satfinite.e2m3x2.f16x2 %half, %ra;", 0x3c004800, 0, 0, 0x081f},  // 1, 8 > 7.5
        Case{"cvt.rn.satfinite.e3m2x2.bf16x2 %half, %ra;", 0x7fc0bf80, 0, 0, 0x1f2c}, // NaN, -1
        Case{"cvt.rn.satfinite.relu.e3m2x2.bf16x2 %half, %ra;", 0x3f80bf80, 0, 0, 0x0c00},
        Case{"{ .reg .b8 %q;\ncvt.rn.satfinite.e2m1x2.f16x2 %q, %ra;\nmov.b32 %word, {%q, %q, %q, %q}; }",
             0x46003c00, 0, 0, 0x72727272}, // 6, 1
        Case{"cvt.rn.bf16x2.e4m3x2 %word, %ha;", 0x7e38, 0, 0, 0x43e03f80},
        Case{"cvt.rn.bf16x2.e4m3x2 %word, %ha;", 0x7f01, 0, 0, 0x7fff3b00}, // NaN, 2^-9
        Case{"cvt.rn.bf16x2.e5m2x2 %word, %ha;", 0x7cfc, 0, 0, 0x7f80ff80}, // infinities
        Case{"cvt.rn.satfinite.bf16x2.e5m2x2 %word, %ha;", 0x7cfc, 0, 0, 0x7f7fff7f},
        Case{"cvt.rn.bf16x2.e2m3x2 %word, %ha;", 0x1f08, 0, 0, 0x40f03f80},
        Case{"{ .reg .b8 %q, %s, %u, %v;\nmov.b32 {%q, %s, %u, %v}, %ra;\ncvt.rn.bf16x2.e2m1x2 %word, %q; }",
             0xf1, 0, 0, 0xc0c03f00},
        Case{"cvt.rn.bf16x2.s2f6x2 %word, %ha;", 0x4080, 0, 0, 0x3f80c000}, // 64/64, -128/64
        Case{"cvt.rn.relu.bf16x2.s2f6x2 %word, %ha;", 0x4080, 0, 0, 0x3f800000}));

// Scales 0x80 and 0x75 are 2 and 2^-10, 0xff is NaN, 0 is 2^-127 and 0xfe 2^127.
INSTANTIATE_TEST_SUITE_P(
    ScaledPairs, RoundedOnce,
    testing::Values(
        Case{"cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2 %word, %ha, %hb;", 0x3838, 0x8075, 0, 0x40003a80},
        Case{"cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2 %word, %ha, 0x7f7f;", 0x7e38, 0, 0, 0x43e03f80},
        Case{"cvt.rn.scaled::n2::ue8m0.bf16x2.e2m3x2 %word, %ha, %hb;", 0x0808, 0xff7f, 0, 0x7fff3f80},
        Case{"cvt.rn.scaled::n2::ue8m0.bf16x2.s2f6x2 %word, %ha, %hb;", 0x01ff, 0, 0, 0x00018001}, // 2^-133
        Case{"cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2 %word, %ha, %hb;", 0x7efe, 0xfefe, 0, 0x7f80ff80},
        Case{"cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.e4m3x2 %word, %ha, %hb;", 0x7efe, 0xfefe, 0,
             0x7f7fff7f},
        Case{"cvt.rn.relu.scaled::n2::ue8m0.bf16x2.e5m2x2 %word, %ha, %hb;", 0x3cbc, 0x7e7e, 0, 0x3f000000}));

INSTANTIATE_TEST_SUITE_P(
    Integers, RoundedOnce,
    testing::Values(Case{"add.cc.u32 %word, %ra, %rb;\naddc.u32 %word, %rc, 0;", 0xffffffff, 1, 5, 6},
                    Case{"add.cc.u32 %word, %ra, %rb;\naddc.u32 %word, %rc, 0;", 0xfffffffe, 1, 5, 5},
                    Case{"add.cc.u64 %result, %a, %b;\naddc.cc.u64 %result, %a, %c;\naddc.u32 %word, 0, 0;",
                         ~0ULL, 1, 0, 1},
                    Case{"sub.cc.u32 %word, %ra, %rb;\nsubc.u32 %word, %rc, 0;", 0, 1, 5, 4},
                    // 0xffffffff^2 = 0xfffffffe00000001; its lower half and 0xffffffff carry.
                    Case{"mad.lo.cc.u32 %word, %ra, %rb, %rc;\nmadc.hi.u32 %word, %ra, %rb, 0;", 0xffffffff,
                         0xffffffff, 0xffffffff, 0xffffffff},
                    Case{"add.sat.s32 %word, %ra, %rb;", 0x7fffffff, 1, 0, 0x7fffffff},
                    Case{"sub.sat.s32 %word, %ra, %rb;", 0x80000000, 1, 0, 0x80000000},
                    Case{"mad.hi.sat.s32 %word, %ra, %rb, %rc;", 0x7fffffff, 0x7fffffff, 0x7fffffff,
                         0x7fffffff},
                    // Bytes 1, -1, 2, -2 by 4, 3, 2, 1: 4 - 3 + 4 - 2, and 10.
                    Case{"dp4a.s32.s32 %word, %ra, %rb, %rc;", 0x01ff02fe, 0x04030201, 10, 13},
                    Case{"dp4a.u32.u32 %word, %ra, %rb, %rc;", 0x01ff02fe, 0x04030201, 10, 1037},
                    Case{"dp2a.lo.s32.s32 %word, %ra, %rb, %rc;", 0xffff0003, 0x04030201, 10, 11},
                    Case{"dp2a.hi.s32.s32 %word, %ra, %rb, %rc;", 0xffff0003, 0x04030201, 10, 15}));

INSTANTIATE_TEST_SUITE_P(
    Video, RoundedOnce,
    testing::Values(
        Case{"vadd.s32.s32.s32 %word, %ra.b1, %rb.h1;", 0x0000ff00, 0x00050000, 0, 4}, // -1 + 5
        Case{"vadd.u32.u32.s32.sat %word, %ra, %rb;", 5, 0xfffffff0, 0, 0},            // 5 - 16
        Case{"vsub.s32.u32.u32.add %word, %ra, %rb, %rc;", 3, 10, 100, 93},
        Case{"vmax.s32.s32.s32 %word.b1, %ra, %rb, %rc;", 0x12, 0xffffff00, 0xaabbccdd, 0xaabb12dd},
        Case{"vabsdiff.u32.s32.s32 %word, %ra, %rb;", 0x80000000, 0x7fffffff, 0, 0xffffffff},
        Case{"vmin.s32.s32.s32 %word, %ra.h0, %rb.h0;", 0xffff, 1, 0, 0xffffffff},
        Case{"vshl.u32.u32.u32.clamp %word, %ra, %rb;", 1, 33, 0, 0},
        Case{"vshl.u32.u32.u32.wrap %word, %ra, %rb;", 1, 33, 0, 2},
        Case{"vshr.s32.s32.u32.clamp %word, %ra, %rb;", 0x80000000, 99, 0, 0xffffffff},
        Case{"vset.u32.u32.lt %word, %ra.b0, %rb.b0;", 0x103, 4, 0, 1},
        Case{"vabsdiff4.u32.u32.u32 %word, %ra, %rb, %rc;", 0x01ff0080, 0x0300ff7f, 0, 0x02ffff01},
        Case{"vabsdiff4.u32.u32.u32.add %word, %ra, %rb, %rc;", 0x01ff0080, 0x0300ff7f, 10, 523},
        Case{"vadd4.s32.s32.s32.sat %word, %ra, %rb, %rc;", 0x7f800001, 0x01ff0001, 0, 0x7f800002},
        Case{"vadd2.u32.u32.u32 %word, %ra, %rb, %rc;", 0xffff0001, 0x00020003, 0, 0x00010004},
        // Pairs -5 + 2, 3 + 4: -3 / 2 away from zero is -2, 7 / 2 is 4; bytes 255 + 254 and 1 + 0 likewise.
        Case{"vavrg2.s32.s32.s32 %word, %ra, %rb, %rc;", 0xfffb0003, 0x00020004, 0, 0xfffe0004},
        Case{"vavrg4.u32.u32.u32 %word, %ra, %rb, %rc;", 0x0001ff02, 0x0000fe04, 0, 0x0001ff03},
        Case{"vavrg4.u32.u32.u32.add %word, %ra, %rb, %rc;", 0x0001ff02, 0x0000fe04, 10, 269},
        Case{"vset4.u32.u32.ge %word, %ra, %rb, %rc;", 0x01020304, 0x02020202, 0, 0x00010101}));

} // namespace
} // namespace kerncast::slice_test
