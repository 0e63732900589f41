// Statements that ptxas 13.0 assembles (probed one by one for sm_90a) are accepted, and addresses of 32 bits,
// which it does not.
#include "cases.h"

namespace kerncast::ptx {
namespace {

class Accepted : public Text {};

TEST_P(Accepted, statement_has_no_error) { EXPECT_EQ(errors_in_body(GetParam()), ""); }

INSTANTIATE_TEST_SUITE_P(what_ptxas_lets_pass, Accepted,
                         testing::Values("ld.local.u32 u32, [16];", "ld.global.v2.u32 {_, u32}, [gv];",
                                         "mov.b32 b32, {b16, _};", "atom.global.add.u32 _, [gv], u32;",
                                         "setp.eq.u32 _|p, u32, 1;", "setp.eq.u32 p|_, u32, 1;",
                                         "mbarrier.arrive.b64 _, [u64];", "bar.sync 15, 64;",
                                         "tex.1d.v4.f32.s32 {f32, f32, f32, f32}, [u64, s32];",
                                         "st.global.v2.u32 [gv], {%tid.x, u32};", "ld.global.f32 b64, [gv];",
                                         "st.global.f32 [gv], b64;", "elect.sync.sync b32|p, 1;",
                                         "add.sat.sat.s32 s32, s32, 1;", "setp.s32.ne p, s32, 0;",
                                         "mov.b64 b64, 1.5;", "st.global.u64 [gv], gv+8;"));
INSTANTIATE_TEST_SUITE_P(
    types, Accepted,
    testing::Values("add.u64 u64, u64, gv+4;", "add.f32 b32, b32, b32;", "add.u32 b32, b32, b32;",
                    "add.s32 u32, u32, s32;", "add.s32 s32, 1, 2;", "setp.lt.u32 p, 1, u32;",
                    "mov.b32 b32, 0f3F800000;", "mov.f32 b32, 0f3F800000;", "mul.wide.u32 u64, u32, u32;",
                    "shl.b32 f32, s32, 3;", "and.b32 b32, f32, b32;", "and.pred p, p, !q;", "not.pred p, !q;",
                    "selp.b32 b32, 1, 0, !p;", "selp.f32 f32, 1.0, 0.0, p;", "cvta.global.u64 u64, gv;",
                    "mov.pred p, 1;", "add.u16 u16, u16, 70000;", "add.u32 u32, u32, 0x1FFFFFFFF;",
                    "sub.s32 s32, s32, -2147483648;"));
INSTANTIATE_TEST_SUITE_P(wider_registers, Accepted,
                         testing::Values("st.global.u8 [gv], u32;", "st.global.u8 [gv], b64;",
                                         "ld.global.u16 b64, [gv];", "ld.global.b8 f32, [gv];",
                                         "ld.global.b32 f32, [gv];", "cvt.u32.u16 u64, u32;",
                                         "cvt.rn.f32.f64 b32, b64;", "cvt.u8.u32 u32, u32;"));
INSTANTIATE_TEST_SUITE_P(roundings, Accepted,
                         testing::Values("cvt.f64.f32 f64, f32;", "cvt.rni.f32.f32 f32, f32;",
                                         "cvt.rni.f64.f64 f64, f64;", "cvt.rn.f32.f64 f32, f64;",
                                         "cvt.rn.f32.bf16 f32, b16;", "mov.f64 f64, 2.2250738585072014e-308;",
                                         "mov.f64 f64, 0d0000000000000001;", "mov.f64 f64, 0e-400;"));
INSTANTIATE_TEST_SUITE_P(order_of_modifiers, Accepted,
                         testing::Values("ld.global.volatile.u32 u32, [gv];",
                                         "ld.volatile.global.u32 u32, [gv];", "add.f32.rn f32, f32, f32;",
                                         "add.ftz.rn.f32 f32, f32, f32;",
                                         "atom.add.global.u32 u32, [gv], 1;"));
INSTANTIATE_TEST_SUITE_P(addresses, Accepted,
                         testing::Values("ld.u32 u32, [gv];", "ld.global.u32 u32, [u64];",
                                         "ld.shared.u32 u32, [u16];", "ld.global.u32 u32, [s64+-4];",
                                         "ld.global.u32 u32, [s64+(4*2)];", "ld.param.u64 u64, [prm];",
                                         "ld.const.u32 u32, [cv+4];", "mov.u64 u64, gv[4];",
                                         "mov.u64 u64, prm;", "mov.u64 u64, k;"));
// As compilers for 32-bit hosts wrote them; ptxas 13.0 refuses these, see docs/ptx-differences.md.
INSTANTIATE_TEST_SUITE_P(addresses_of_32_bits, Accepted,
                         testing::Values("ld.global.u32 u32, [u32];", "mov.u32 u32, gv;"));
INSTANTIATE_TEST_SUITE_P(vectors, Accepted,
                         testing::Values("ld.global.v2.u32 {u32, s32}, [gv];", "mov.b64 {b32, u32}, b64;",
                                         "mov.b64 b64, {b32, f32};", "mov.b64 f64, {s32, u32};",
                                         "mov.b32 {b16, _}, f32;", "mov.b32 b32, {0, b16};",
                                         "mov.v4.u32 {u32, s32, b32, %r1}, %tid;", "mov.f32 f32, vf.x;",
                                         "ld.shared.v4.f32 vf, [sv];"));
INSTANTIATE_TEST_SUITE_P(guards_and_spaces, Accepted,
                         testing::Values("@p add.u32 u32, u32, 1;", "@ p add.u32 u32, u32, 1;",
                                         "@! p add.u32 u32, u32, 1;",
                                         "@!p bra L; L:", "add .u32 u32, u32, 1;", "add\n.u32 u32, u32, 1;",
                                         "L : add.u32 u32, u32, 1;", "A: B: ret;", "{ }",
                                         "/* a /* b */ add.u32 u32, u32, 1; // c", "#line 7 \"x\"\nret;",
                                         "# 1 \"x\"\nret;", "ret;\r\nret;", ".pragma \"a\", \"b\";"));
INSTANTIATE_TEST_SUITE_P(addresses_of_unified_variables, Accepted,
                         testing::Values("ld.global.u32 u32, [gv].unified;", "ld.u32 u32, [u64+4] .unified;",
                                         "ldu.global.u32 u32, [gv].unified;",
                                         "atom.global.add.u32 u32, [gv].unified, u32;"));
INSTANTIATE_TEST_SUITE_P(coordinates_in_a_vector_register, Accepted,
                         testing::Values("tex.2d.v4.f32.f32 vf, [u64, vf];",
                                         "tex.1d.v4.f32.f32 vf, [u64, vf];"));

} // namespace
} // namespace kerncast::ptx
