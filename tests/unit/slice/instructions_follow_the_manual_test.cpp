// Edge cases of the PTX manual's definitions, one instruction each.
#include "manual_cases.h"

namespace kerncast::slice_test {
namespace {

TEST_P(Manual, Lane1HasTheManualsResult) { expect_manuals_result(GetParam()); }

constexpr std::uint64_t minus_one_32 = 0xffffffffULL;

INSTANTIATE_TEST_SUITE_P(
    Arithmetic, Manual,
    testing::Values(Case{"add.s32 %word, %ra, %rb;", 0x7fffffff, 1, 0, 0x80000000},
                    Case{"add.u16 %half, %ha, %hb;", 0xffff, 2, 0, 1},
                    Case{"sub.s64 %result, %a, %b;", 0, 1, 0, ~0ULL},
                    Case{"mul.lo.s32 %word, %ra, %rb;", 0x80000001, 3, 0, 0x80000003},
                    Case{"mul.hi.s32 %word, %ra, %rb;", minus_one_32, 2, 0, minus_one_32},
                    Case{"mul.hi.u32 %word, %ra, %rb;", minus_one_32, 2, 0, 1},
                    Case{"mul.hi.u64 %result, %a, %b;", ~0ULL, 4, 0, 3},
                    Case{"mul.hi.s64 %result, %a, %b;", ~0ULL, 4, 0, ~0ULL},
                    Case{"mul.wide.s32 %result, %ra, %rb;", minus_one_32, 4, 0, 0xfffffffffffffffcULL},
                    Case{"mul.wide.u32 %result, %ra, %rb;", minus_one_32, 4, 0, 0x3fffffffcULL},
                    Case{"mul.wide.s16 %word, %ha, %hb;", 0xffff, 4, 0, 0xfffffffc},
                    Case{"mul.wide.u16 %word, %ha, %hb;", 0xffff, 0xffff, 0, 0xfffe0001},
                    Case{"mad.lo.s32 %word, %ra, %rb, %rc;", 7, 6, 5, 47},
                    Case{"mad.wide.u32 %result, %ra, %rb, %c;", 0x10000, 0x10000, 9, 0x100000009ULL},
                    Case{"mad.hi.u32 %word, %ra, %rb, %rc;", 0x10000, 0x30000, 5, 8},
                    Case{"mul24.lo.s32 %word, %ra, %rb;", 0xffffff, 5, 0, 0xfffffffb},
                    Case{"mul24.hi.u32 %word, %ra, %rb;", 0xffffff, 0xffffff, 0, 0xfffffe00},
                    Case{"div.s32 %word, %ra, %rb;", 0xfffffff9, 2, 0, 0xfffffffd},            // -7 / 2 = -3
                    Case{"rem.s32 %word, %ra, %rb;", 0xfffffff9, 2, 0, minus_one_32},          // -7 % 2 = -1
                    Case{"div.s32 %word, %ra, %rb;", 0x80000000, minus_one_32, 0, 0x80000000}, // wraps
                    Case{"rem.s64 %result, %a, %b;", 1ULL << 63, ~0ULL, 0, 0},
                    Case{"div.u64 %result, %a, %b;", ~0ULL, 10, 0, ~0ULL / 10},
                    Case{"abs.s32 %word, %ra;", 0x80000000, 0, 0, 0x80000000},
                    Case{"neg.s16 %half, %ha;", 1, 0, 0, 0xffff},
                    Case{"min.s32 %word, %ra, %rb;", minus_one_32, 1, 0, minus_one_32},
                    Case{"min.u32 %word, %ra, %rb;", minus_one_32, 1, 0, 1},
                    Case{"max.s64 %result, %a, %b;", ~0ULL, 1, 0, 1},
                    Case{"sad.u32 %word, %ra, %rb, %rc;", 3, 10, 100, 107}));

INSTANTIATE_TEST_SUITE_P(
    Bits, Manual,
    testing::Values(
        Case{"shl.b32 %word, %ra, %rb;", 1, 32, 0, 0}, Case{"shl.b32 %word, %ra, %rb;", 1, 31, 0, 0x80000000},
        Case{"shr.u32 %word, %ra, %rb;", 0x80000000, 40, 0, 0},
        Case{"shr.s32 %word, %ra, %rb;", 0x80000000, 40, 0, minus_one_32},
        Case{"shr.s16 %half, %ha, %rb;", 0x8000, 4, 0, 0xf800},
        Case{"shl.b64 %result, %a, %rb;", 1, 64, 0, 0},
        Case{"shf.l.wrap.b32 %word, %ra, %rb, %rc;", 0x80000000, 1, 33, 3},
        Case{"shf.r.wrap.b32 %word, %ra, %rb, %rc;", 0x10, 1, 4, 0x10000001},
        Case{"shf.l.clamp.b32 %word, %ra, %rb, %rc;", 0x12345678, 1, 40, 0x12345678},
        Case{"shf.r.clamp.b32 %word, %ra, %rb, %rc;", 1, 0x9abcdef0, 40, 0x9abcdef0},
        Case{"not.b32 %word, %ra;", 0, 0, 0, minus_one_32}, Case{"cnot.b32 %word, %ra;", 7, 0, 0, 0},
        Case{"lop3.b32 %word, %ra, %rb, %rc, 0xe8;", 0xc, 0xa, 0x9, 0x8 | 0x8},       // majority
        Case{"lop3.b32 %word, %ra, %rb, %rc, 0x96;", 0xc, 0xa, 0x9, 0xc ^ 0xa ^ 0x9}, // a ^ b ^ c
        Case{"popc.b64 %word, %a;", ~0ULL, 0, 0, 64}, Case{"clz.b32 %word, %ra;", 0, 0, 0, 32},
        Case{"clz.b64 %word, %a;", 1, 0, 0, 63}, Case{"brev.b32 %word, %ra;", 1, 0, 0, 0x80000000},
        Case{"bfind.u32 %word, %ra;", 0, 0, 0, minus_one_32},
        Case{"bfind.s32 %word, %ra;", 0xfffffffe, 0, 0, 0}, Case{"bfind.u32 %word, %ra;", 0x10, 0, 0, 4},
        Case{"bfind.shiftamt.u32 %word, %ra;", 0x10, 0, 0, 27},
        Case{"bfe.u32 %word, %ra, %rb, %rc;", 0xabcdef12, 8, 12, 0xdef},
        Case{"bfe.s32 %word, %ra, %rb, %rc;", 0xabcdef12, 8, 12, 0xfffffdef},
        Case{"bfe.s32 %word, %ra, %rb, %rc;", 0x80000000, 40, 4, minus_one_32}, // past the top: the sign
        Case{"bfe.u32 %word, %ra, %rb, %rc;", 0xffffffff, 4, 0, 0},
        Case{"bfe.s64 %result, %a, %rb, %rc;", 0x80ULL << 32, 32, 8, 0xffffffffffffff80ULL},
        Case{"bfi.b32 %word, %ra, %rb, 8, %rc;", 0xabc, 0, 8, 0xbc00},
        Case{"bfi.b32 %word, %ra, %rb, 28, 8;", 0xff, 0, 0, 0xf0000000},
        Case{"prmt.b32 %word, %ra, %rb, %rc;", 0x33221100, 0x77665544, 0x7610, 0x77661100},
        Case{"prmt.b32 %word, %ra, %rb, %rc;", 0x00008000, 0, 0x9988, 0xffff0000}, // byte signs
        Case{"prmt.b32.f4e %word, %ra, %rb, %rc;", 0x33221100, 0x77665544, 5, 0x44332211},
        Case{"prmt.b32.b4e %word, %ra, %rb, %rc;", 0x33221100, 0x77665544, 1, 0x66770011},
        Case{"prmt.b32.rc8 %word, %ra, %rb, %rc;", 0x33221100, 0x77665544, 2, 0x22222222},
        Case{"prmt.b32.ecl %word, %ra, %rb, %rc;", 0x33221100, 0x77665544, 1, 0x33221111},
        Case{"prmt.b32.ecr %word, %ra, %rb, %rc;", 0x33221100, 0x77665544, 2, 0x22221100},
        Case{"prmt.b32.rc16 %word, %ra, %rb, %rc;", 0x33221100, 0x77665544, 3, 0x33223322},
        Case{"bmsk.clamp.b32 %word, %ra, %rb;", 28, 40, 0, 0xf0000000},
        Case{"bmsk.clamp.b32 %word, %ra, %rb;", 32, 1, 0, 0},
        Case{"bmsk.wrap.b32 %word, %ra, %rb;", 36, 35, 0, 0x70},
        Case{"szext.clamp.s32 %word, %ra, %rb;", 0x80, 8, 0, 0xffffff80},
        Case{"szext.clamp.s32 %word, %ra, %rb;", 0x80, 99, 0, 0x80},
        Case{"szext.wrap.u32 %word, %ra, %rb;", 0x1ff, 40, 0, 0xff},
        Case{"szext.wrap.s32 %word, %ra, %rb;", 0x1ff, 32, 0, 0}));

INSTANTIATE_TEST_SUITE_P(
    MovesAndSelections, Manual,
    testing::Values(
        Case{"cvt.s64.s32 %result, %ra;", minus_one_32, 0, 0, ~0ULL},
        Case{"cvt.u64.u32 %result, %ra;", minus_one_32, 0, 0, minus_one_32},
        Case{"cvt.s32.s8 %word, %ra;", 0x80, 0, 0, 0xffffff80},
        Case{"cvt.u32.u8 %word, %ra;", 0x180, 0, 0, 0x80},
        Case{"cvt.s32.s16 %word, %ha;", 0x8000, 0, 0, 0xffff8000},
        Case{"cvt.u32.u64 %word, %a;", 0x1234567890ULL, 0, 0, 0x34567890},
        Case{"cvt.rn.f32.s32 %float, %ra;", 0x1000001, 0, 0, 0x4b800000},     // 2^24 + 1 to even
        Case{"cvt.rn.f64.u32 %double, %ra;", 3, 0, 0, 0x4008000000000000ULL}, // 3.0
        Case{"cvt.rzi.s32.f32 %word, %fa;", 0xc0200000, 0, 0, 0xfffffffe},    // -2.5
        Case{"cvt.rni.s32.f32 %word, %fa;", 0x40200000, 0, 0, 2},             // 2.5 to even
        Case{"cvt.rmi.s32.f32 %word, %fa;", 0xc0200000, 0, 0, 0xfffffffd},
        Case{"cvt.rpi.s32.f32 %word, %fa;", 0x40200000, 0, 0, 3},
        Case{"cvt.rzi.s32.f32 %word, %fa;", 0x4f000000, 0, 0, 0x7fffffff}, // 2^31 saturates
        Case{"cvt.rzi.u32.f32 %word, %fa;", 0xbf800000, 0, 0, 0},          // -1 saturates
        Case{"cvt.rzi.s32.f32 %word, %fa;", 0x7fc00000, 0, 0, 0},          // NaN
        Case{"cvt.rzi.s64.f64 %result, %da;", 0x7ff8000000000000ULL, 0, 0, 1ULL << 63},
        Case{"cvt.rmi.f32.f32 %float, %fa;", 0x40200000, 0, 0, 0x40000000},
        Case{"mov.b64 %result, {%rb, %ra};", 2, 1, 0, 0x200000001ULL},
        Case{"mov.b64 {%one, %word}, %a;", 0x500000004ULL, 0, 0, 5},
        Case{"mov.b32 %word, {%hb, %ha};", 0xabcd, 0x1234, 0, 0xabcd1234},
        Case{"setp.lt.s32 %truth, %ra, %rb;", minus_one_32, 1, 0, 1},
        Case{"setp.lt.u32 %truth, %ra, %rb;", minus_one_32, 1, 0, 0},
        Case{"setp.lo.u64 %truth, %a, %b;", 1, 2, 0, 1}, Case{"setp.hs.u32 %truth, %ra, %rb;", 2, 2, 0, 1},
        Case{"setp.gt.and.s32 %truth, %ra, %rb, !%pc;", 5, 2, 1, 0},
        Case{"setp.gt.or.s32 %truth, %ra, %rb, %pc;", 1, 2, 1, 1},
        Case{"setp.eq.xor.s32 %truth, %ra, %rb, %pc;", 2, 2, 1, 0},
        Case{"setp.lt.s32 %other|%truth, %ra, %rb;", 5, 2, 0, 1},
        Case{"setp.lt.f32 %truth, %fa, %fb;", 0x7fc00000, 0x3f800000, 0, 0},
        Case{"setp.ltu.f32 %truth, %fa, %fb;", 0x7fc00000, 0x3f800000, 0, 1},
        Case{"setp.nan.f32 %truth, %fa, %fb;", 0x7fc00000, 0x3f800000, 0, 1},
        Case{"setp.ge.f64 %truth, %da, %db;", 0x4000000000000000ULL, 0x3ff0000000000000ULL, 0, 1},
        Case{"set.gt.u32.s32 %word, %ra, %rb;", 3, 2, 0, minus_one_32},
        Case{"set.gt.f32.s32 %float, %ra, %rb;", 3, 2, 0, 0x3f800000},
        Case{"slct.b32.s32 %word, %ra, %rb, %rc;", 3, 2, minus_one_32, 2},
        Case{"selp.b32 %word, %ra, %rb, %pc;", 3, 2, 0, 2}, Case{"and.pred %truth, %pa, %pb;", 1, 1, 0, 1},
        Case{"or.pred %truth, %pa, %pb;", 0, 1, 0, 1}, Case{"xor.pred %truth, %pa, %pb;", 1, 1, 0, 0},
        Case{"not.pred %truth, %pa;", 0, 0, 0, 1}, Case{"mov.pred %truth, %pa;", 1, 0, 0, 1}));

INSTANTIATE_TEST_SUITE_P(
    Floats, Manual,
    testing::Values(Case{"add.f32 %float, %fa, %fb;", 0x3f800000, 0x33800000, 0, 0x3f800000}, // 1 + 2^-24
                    Case{"fma.rn.f32 %float, %fa, %fa, %fb;", 0x3f800001, 0xbf800002, 0, 0x28800000},
                    Case{"div.rn.f32 %float, %fa, %fb;", 0x3f800000, 0x40400000, 0, 0x3eaaaaab},
                    Case{"sqrt.rn.f64 %double, %da;", 0x4010000000000000ULL, 0, 0, 0x4000000000000000ULL},
                    Case{"min.f32 %float, %fa, %fb;", 0x7fc00000, 0x3f800000, 0, 0x3f800000},
                    Case{"neg.f32 %float, %fa;", 0x3f800000, 0, 0, 0xbf800000}));

} // namespace
} // namespace kerncast::slice_test
