// Instructions that compilers seldom write, and negated predicates as operands: the PTX manual's definitions.
#include "manual_cases.h"

namespace kerncast::slice_test {
namespace {

class RareInstructions : public Manual {};
TEST_P(RareInstructions, Lane1HasTheManualsResult) { expect_manuals_result(GetParam()); }

constexpr std::uint64_t none = 0xffffffff;

// Ones of 0x16 stand at 1, 2 and 4.
INSTANTIATE_TEST_SUITE_P(NthSetBit, RareInstructions,
                         testing::Values(Case{"fns.b32 %word, %ra, %rb, %rc;", 0x16, 0, 1, 1},
                                         Case{"fns.b32 %word, %ra, %rb, %rc;", 0x16, 0, 3, 4},
                                         Case{"fns.b32 %word, %ra, %rb, %rc;", 0x16, 0, 4, none},
                                         Case{"fns.b32 %word, %ra, %rb, %rc;", 0x16, 4, 0xfffffffe, 2}, // -2
                                         Case{"fns.b32 %word, %ra, %rb, %rc;", 0x16, 2, 0, 2},
                                         Case{"fns.b32 %word, %ra, %rb, %rc;", 0x16, 3, 0, none},
                                         Case{"fns.b32 %word, %ra, %rb, %rc;", none, 32, 1, none},
                                         Case{"fns.b32 %word, %ra, %rb, %rc;", none, 5, 0x80000000, none}));

INSTANTIATE_TEST_SUITE_P(
    KindsOfNumbers, RareInstructions,
    testing::Values(Case{"testp.subnormal.f32 %truth, %fa;", 1, 0, 0, 1},
                    Case{"testp.subnormal.f32 %truth, %fa;", 0, 0, 0, 0},
                    Case{"testp.normal.f32 %truth, %fa;", 0x80000000, 0, 0, 1}, // zeros count as normal
                    Case{"testp.normal.f64 %truth, %da;", 1ULL << 51, 0, 0, 0},
                    Case{"testp.normal.f32 %truth, %fa;", 0x7f800000, 0, 0, 0},
                    Case{"testp.finite.f32 %truth, %fa;", 0x7f7fffff, 0, 0, 1},
                    Case{"testp.finite.f64 %truth, %da;", 0xfff0000000000000ULL, 0, 0, 0},
                    Case{"testp.infinite.f32 %truth, %fa;", 0xff800000, 0, 0, 1},
                    Case{"testp.infinite.f32 %truth, %fa;", 0x7fc00000, 0, 0, 0},
                    Case{"testp.number.f32 %truth, %fa;", 0x7fc00000, 0, 0, 0},
                    Case{"testp.number.f64 %truth, %da;", 0x7ff0000000000000ULL, 0, 0, 1},
                    Case{"testp.notanumber.f64 %truth, %da;", 0x7ff8000000000000ULL, 0, 0, 1}));

// (2^23 - 1)^2 >> 16 = 0x3fffff00; -2^23 (2^23 - 1) >> 16 = -0x3fffff80.
INSTANTIATE_TEST_SUITE_P(
    SmallIntegers, RareInstructions,
    testing::Values(
        Case{"mad24.hi.sat.s32 %word, %ra, %rb, %rc;", 0xff7fffff, 0x7fffff, 1, 0x3fffff01},
        Case{"mad24.hi.sat.s32 %word, %ra, %rb, %rc;", 0x7fffff, 0x7fffff, 0x7fffffff, 0x7fffffff},
        Case{"mad24.hi.sat.s32 %word, %ra, %rb, %rc;", 0x800000, 0x7fffff, 0x80000000, 0x80000000},
        Case{"mad.hi.sat.s32 %word, %ra, %rb, %rc;", 0x40000000, 8, 0x7fffffff, 0x7fffffff},
        Case{"add.u16x2 %word, %ra, %rb;", 0xffff0001, 0x00020003, 0, 0x00010004},
        Case{"add.s16x2 %word, %ra, %rb;", 0x7fff8000, 0x00018000, 0, 0x80000000},
        Case{"min.s16x2 %word, %ra, %rb;", 0xffff0001, 0x00020003, 0, 0xffff0001},
        Case{"min.u16x2 %word, %ra, %rb;", 0xffff0001, 0x00020003, 0, 0x00020001},
        Case{"max.u16x2 %word, %ra, %rb;", 0xffff0001, 0x00020003, 0, 0xffff0003},
        Case{"min.relu.s16x2 %word, %ra, %rb;", 0xffff0001, 0x00020003, 0, 0x00000001},
        Case{"max.relu.s32 %word, %ra, %rb;", 0xfffffff0, 0xfffffff8, 0, 0},
        Case{"min.relu.s32 %word, %ra, %rb;", 5, 3, 0, 3},
        Case{"cvt.pack.sat.u8.s32.b32 %word, %ra, %rb, %rc;", 300, 0xfffffffb, 0x91234, 0x1234ff00},
        Case{"cvt.pack.sat.s16.s32 %word, %ra, %rb;", 0xffff63c0, 7, 0, 0x80000007}, // -40000
        Case{"cvt.pack.sat.s4.s32.b32 %word, %ra, %rb, %rc;", 9, 0xfffffff7, 1, 0x178}));

// In bytes: ff + 01, 7f + 01, 80 + 01, 01 + 03 and so on, from the left.
INSTANTIATE_TEST_SUITE_P(
    PackedIntegers, RareInstructions,
    testing::Values(Case{"add.sat.u32 %word, %ra, %rb;", 0xfffffff0, 0x20, 0, 0xffffffff},
                    Case{"add.sat.u32 %word, %ra, %rb;", 0x7fffffff, 3, 0, 0x80000002},
                    Case{"add.sat.u16x2 %word, %ra, %rb;", 0xffff0001, 0x00020003, 0, 0xffff0004},
                    Case{"add.sat.s16x2 %word, %ra, %rb;", 0x7fff8000, 0x00018000, 0, 0x7fff8000},
                    Case{"add.u8x4 %word, %ra, %rb;", 0xff7f8001, 0x01010103, 0, 0x00808104},
                    Case{"add.s8x4 %word, %ra, %rb;", 0xff7f8001, 0x01010103, 0, 0x00808104},
                    Case{"add.sat.u8x4 %word, %ra, %rb;", 0xff7f8001, 0x01010103, 0, 0xff808104},
                    Case{"add.sat.s8x4 %word, %ra, %rb;", 0xff7f8001, 0x01010103, 0, 0x007f8104},
                    Case{"sub.u8x4 %word, %ra, %rb;", 0x01008005, 0x02010104, 0, 0xffff7f01},
                    Case{"sub.s8x4 %word, %ra, %rb;", 0x01008005, 0x02010104, 0, 0xffff7f01},
                    Case{"sub.sat.u8x4 %word, %ra, %rb;", 0x01008005, 0x02010104, 0, 0x00007f01},
                    Case{"sub.sat.s8x4 %word, %ra, %rb;", 0x01008005, 0x02010104, 0, 0xffff8001},
                    Case{"min.u8x4 %word, %ra, %rb;", 0xff017f80, 0x01ff807f, 0, 0x01017f7f},
                    Case{"min.s8x4 %word, %ra, %rb;", 0xff017f80, 0x01ff807f, 0, 0xffff8080},
                    Case{"max.u8x4 %word, %ra, %rb;", 0xff017f80, 0x01ff807f, 0, 0xffff8080},
                    Case{"max.s8x4 %word, %ra, %rb;", 0xff017f80, 0x01ff807f, 0, 0x01017f7f},
                    Case{"min.relu.s8x4 %word, %ra, %rb;", 0x05ff7f80, 0x0301017f, 0, 0x03000100},
                    Case{"max.relu.s8x4 %word, %ra, %rb;", 0xfe80ff05, 0xff81fe03, 0, 0x00000005},
                    Case{"neg.s8x4 %word, %ra;", 0x0180ff7f, 0, 0, 0xff800181}));

// (x + 1)^2 = x^2 + 1 where 1 + 1 is 0; x^63 x^63 is x^126, of which the upper half has bit 62.
INSTANTIATE_TEST_SUITE_P(CarrylessProducts, RareInstructions,
                         testing::Values(Case{"clmad.lo.u64 %result, %a, %b, %c;", 3, 3, 0, 5},
                                         Case{"clmad.lo.u64 %result, %a, %b, %c;", 3, 3, 7, 2},
                                         Case{"clmad.hi.u64 %result, %a, %b, %c;", 3, 3, 7, 7},
                                         Case{"clmad.hi.u64 %result, %a, %b, %c;", 1ULL << 63, 1ULL << 63, 1,
                                              (1ULL << 62) + 1},
                                         Case{"clmad.lo.u64 %result, %a, %b, %c;", ~0ULL, 3, 0, 1},
                                         Case{"clmad.hi.u64 %result, %a, %b, %c;", ~0ULL, 3, 0, 1}));

// The table 0xc0 is a & b, 0xe8 the majority.
INSTANTIATE_TEST_SUITE_P(
    Predicates, RareInstructions,
    testing::Values(Case{"lop3.or.b32 _|%truth, %ra, %rb, %rc, 0xc0, %pc;", 0xc, 3, 1, 1},
                    Case{"lop3.or.b32 _|%truth, %ra, %rb, %rc, 0xc0, %pc;", 0xc, 3, 0, 0},
                    Case{"lop3.and.b32 %one|%truth, %ra, %rb, %rc, 0xc0, !%pc;", 0xc, 4, 0, 1},
                    Case{"lop3.and.b32 %one|%truth, %ra, %rb, %rc, 0xc0, !%pc;", 0xc, 4, 1, 0},
                    Case{"lop3.and.b32 %word|%other, %ra, %rb, %rc, 0xe8, %pc;", 0xc, 0xa, 0x9, 0x8},
                    Case{"selp.b32 %word, %ra, %rb, !%pc;", 3, 2, 0, 3},
                    Case{"and.pred %truth, !%pa, !%pb;", 0, 2, 0, 1},
                    Case{"or.pred %truth, !%pa, %pb;", 1, 2, 0, 0},
                    Case{"mov.pred %truth, !%pa;", 1, 0, 0, 0},
                    Case{"set.gt.and.u32.s32 %word, %ra, %rb, !%pc;", 3, 2, 0, none},
                    Case{"set.gt.and.u32.s32 %word, %ra, %rb, !%pc;", 3, 2, 1, 0}));

// Shared memory begins at 0, parameters at 2^39, local memory at 2^40, constants at 2^41, buffers at 2^44.
INSTANTIATE_TEST_SUITE_P(
    PartsAndSpaces, RareInstructions,
    testing::Values(Case{".reg .b8 %x0, %x1;\nmov.b16 {%x0, %x1}, %ha;\nmov.b16 %half, {%x1, %x0};", 0x1234,
                         0, 0, 0x3412},
                    Case{"mov.v2.u32 {%one, %word}, {%ra, %rb};", 3, 77, 5, 77},
                    Case{".reg .b128 %q;\n.reg .b32 %w0, %w2, %w3;\nmov.b128 %q, {%ra, %rb, %rc, %ra};\n"
                         "mov.b128 {%w0, %word, %w2, %w3}, %q;",
                         3, 77, 5, 77},
                    Case{"isspacep.shared %truth, %a;", 0x10, 0, 0, 1},
                    Case{"isspacep.shared %truth, %ra;", 0x10, 0, 0, 1},
                    Case{"isspacep.global %truth, %ra;", 0x10, 0, 0, 0},
                    Case{"isspacep.shared::cluster %truth, %a;", 1ULL << 28, 0, 0, 1},
                    Case{"isspacep.shared::cta %truth, %a;", 1ULL << 28, 0, 0, 0},
                    Case{"isspacep.shared %truth, %a;", 1ULL << 44, 0, 0, 0},
                    Case{"isspacep.global %truth, %a;", 1ULL << 44, 0, 0, 1},
                    Case{"isspacep.local %truth, %a;", (1ULL << 40) + 8, 0, 0, 1},
                    Case{"isspacep.const %truth, %a;", 1ULL << 41, 0, 0, 1},
                    Case{"isspacep.param %truth, %a;", 1ULL << 39, 0, 0, 1}));

// (1 + 2^-10)^2 + 2^-25 lies between two f32, 2^-23 apart.
INSTANTIATE_TEST_SUITE_P(
    Floats, RareInstructions,
    testing::Values(Case{"add.f32.f16 %float, %ha, %fb;", 0x3c00, 0x3f800000, 0, 0x40000000},
                    Case{"sub.f32.bf16 %float, %ha, %fb;", 0x3f80, 0x40000000, 0, 0xbf800000},
                    Case{"add.sat.f32.bf16 %float, %ha, %fb;", 0x3f80, 0x40000000, 0, 0x3f800000},
                    Case{"fma.rn.f32.f16 %float, %ha, %ha, %fb;", 0x3c01, 0x33000000, 0, 0x3f804008},
                    Case{"fma.rp.f32.f16 %float, %ha, %ha, %fb;", 0x3c01, 0x33000000, 0, 0x3f804009},
                    Case{"add.rn.f32x2 %result, %a, %b;", 0x400000003f800000ULL, 0x3f80000033800000ULL, 0,
                         0x404000003f800000ULL},
                    Case{"mul.ftz.f32x2 %result, %a, %b;", 0x4000000000000001ULL, 0x3f8000003f800000ULL, 0,
                         0x4000000000000000ULL},
                    Case{"fma.rz.f32x2 %result, %a, %a, %b;", 0x3f80000140000000ULL, 0x000000013f800000ULL, 0,
                         0x3f80000240a00000ULL},
                    Case{"min.f32 %float, %fa, %fb, 0f3f000000;", 0x40000000, 0x3f800000, 0, 0x3f000000},
                    Case{"max.abs.f32 %float, %fa, %fb, 0fc0400000;", 0x3f800000, 0x40000000, 0, 0x40400000},
                    Case{"max.f32 %float, %fa, %fb, 0f7fc00000;", 0x3f800000, 0x40000000, 0, 0x40000000}));

} // namespace
} // namespace kerncast::slice_test
