// Statements that ptxas 13.0 refuses are refused, with a message that names what is wrong; so are integers of
// more than 64 bits, which it cuts down without a word.
#include "cases.h"

namespace kerncast::ptx {
namespace {

class Refused : public WrongText {};

TEST_P(Refused, statement_is_one_error_that_says_why) {
  expect_only_error(errors_in_body(GetParam().text), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(opcodes, Refused,
                         testing::Values(Wrong{"addd.s32 s32, s32, s32;", "unknown instruction 'addd'"},
                                         Wrong{"ADD.s32 s32, s32, s32;", "unknown instruction 'ADD'"},
                                         Wrong{"add.f64x s32, s32, s32;",
                                               "unknown modifier '.f64x' for 'add'"},
                                         Wrong{"fma.f32 f32, f32, f32, f32;", "no combination of modifiers"},
                                         Wrong{"add.sat.u64 u64, u64, u64;", "no combination of modifiers"}));
INSTANTIATE_TEST_SUITE_P(
    operands, Refused,
    testing::Values(Wrong{"add.u32 u32, u32;", "'add.u32' takes 3 operands, but 2 are given"},
                    Wrong{"fma.rn.f32 f32, f32, f32, f32, f32;", "takes 4 operands, but 5 are given"},
                    Wrong{"add.u32 5, u32, u32;",
                          "operand 1 of 'add.u32' must be a destination register of type .u32"},
                    Wrong{"add.u32 u32|p, u32, u32;", "a pair of destinations"},
                    Wrong{"add.u32 u32, %tid.x, 1;", "special register %tid.x, which only mov and cvt read"},
                    Wrong{"add.u32 u32, -s32, 1;", "negated s32"},
                    Wrong{"and.pred p, p, -q;", "a predicate has no minus sign"},
                    Wrong{"mov.u32 u32, {u32;", "expected '}' after a vector"},
                    Wrong{"ld.global.v2.u32 {u32, s32, b32}, [gv];",
                          "must be a vector of 2 of type .u32, but is a vector of 3"},
                    Wrong{"add.u32 u32, u32, undeclared;", "undeclared name 'undeclared'"},
                    Wrong{"add.u32 u32, u32, %r9;", "undeclared register '%r9'"},
                    Wrong{"add.u32 u32, u32, %r09;", "undeclared register '%r09'"},
                    Wrong{"mov.u32 u32, %tid.w2;", "has no component '.w2'"}));
INSTANTIATE_TEST_SUITE_P(
    types, Refused,
    testing::Values(Wrong{"add.u32 f32, u32, u32;",
                          "must be a destination register of type .u32, but is f32 of type .f32"},
                    Wrong{"mov.u32 u32, 1.0;", "a floating-point number"},
                    Wrong{"mov.f32 u32, 0f3F800000;", "u32 of type .u32"},
                    Wrong{"setp.eq.f32 p, f32, 0;", "the integer 0"},
                    Wrong{"shl.b32 b32, b32, u64;", "u64 of type .u64"},
                    Wrong{"st.global.f32 [gv], f64;", "f64 of type .f64"},
                    Wrong{"ld.global.u32 f32, [gv];", "f32 of type .f32"},
                    Wrong{"ld.global.f32 f64, [gv];", "f64 of type .f64"},
                    Wrong{"mul.wide.u32 u32, u32, u32;", "of type .u64, but is u32"},
                    Wrong{"add.u32 p, u32, 1;", "p of type .pred"},
                    Wrong{"bar.sync u64;", "u64 of type .u64"},
                    Wrong{"ld.u64 u64, [u64]; ld.global.u32 u32, [f64];", "base f64 of type .f64"}));
INSTANTIATE_TEST_SUITE_P(
    addresses, Refused,
    testing::Values(Wrong{"ld.global.u32 u32, [u64-4];", "an address has no '-'"},
                    Wrong{"ld.global.u32 u32, [u64+u64];", "expected a number, but found 'u64'"},
                    Wrong{"ld.shared.u32 u32, [gv];", "lies in another state space"},
                    Wrong{"ld.u64 u64, [prm];", "lies in another state space"},
                    Wrong{"ld.global.u32 u32, [%tid.x];", "a special register cannot be an address"},
                    Wrong{"ld.global.u32 u32, u64;", "must be an address in brackets"}));
INSTANTIATE_TEST_SUITE_P(
    what_ptxas_has_no_use_for, Refused,
    testing::Values(Wrong{"ld.global.u32 u32, [16];", "must be an address"},
                    Wrong{"ld.u32 u32, [cv];", "lies in another state space"},
                    Wrong{"st.param.u32 [prm], u32;", "cannot write to 'prm', an input"},
                    Wrong{"ld.global.u32 u32, [vf.x];", "cannot be a part of a register"},
                    Wrong{"add.u32 _, u32, u32;", "must be a destination register"},
                    Wrong{"ld.global.v2.u32 {_, _}, [gv];", "must be a vector of 2"},
                    Wrong{"st.global.v2.u32 [gv], {u32, _};", "must be a vector of 2"},
                    Wrong{"ld.global.v2.b32 {b64, b32}, [gv];", "must be a vector of 2"},
                    Wrong{"mov.b32 b32, {b32, b32};", "must be a register or constant"},
                    Wrong{"mov.b64 b64, 0f3F800000;", "a floating-point number"},
                    Wrong{"add.u64 u64, u64, gv;", "the address of gv"},
                    Wrong{"bar.sync 16;", "must be from 0 to 15, but is 16"},
                    Wrong{"bar.sync 1, 33;", "must be a multiple of 32, but is 33"},
                    Wrong{"bfe.u32 u32, u32, 256, 1;", "must be from 0 to 255"},
                    Wrong{"setmaxnreg.inc.sync.aligned.u32 16;", "must be from 24 to 256"},
                    Wrong{"mul.s32.lo s32, s32, s32;", "no combination of modifiers"},
                    Wrong{"set.u32.s32.eq u32, s32, s32, s32;", "takes 3 operands"},
                    Wrong{"tex.2d.v4.f32.f32 {f32, f32, f32, f32}, [u64, {f32}];", "with coordinates"},
                    Wrong{"tex.2d.v4.f32.f32 {f32, f32, f32, f32}, [u64+8, {f32, f32}];",
                          "cannot have an offset"},
                    Wrong{"vadd.u32.u32.u32 u32, u32.x, u32;", "operand 2"}));
INSTANTIATE_TEST_SUITE_P(guards, Refused,
                         testing::Values(Wrong{"@u32 add.u32 u32, u32, 1;",
                                               "the guard 'u32' is of type .u32, but must be a predicate"},
                                         Wrong{"@none add.u32 u32, u32, 1;",
                                               "undeclared predicate register 'none'"},
                                         Wrong{"@p ;", "expected an instruction after the guard"},
                                         Wrong{"@1 ret;", "expected a predicate register after '@'"}));
INSTANTIATE_TEST_SUITE_P(punctuation, Refused,
                         testing::Values(Wrong{";", "an empty statement"},
                                         Wrong{"add.u32 u32, u32 u32;", "expected ',' or ';'"},
                                         Wrong{"add.u32 u32, , u32;", "expected an operand, but found ','"},
                                         Wrong{"mov.u32 u32, 'a';", "expected an operand"},
                                         Wrong{". u32 x;", "expected an instruction"},
                                         Wrong{".regs .b32 x;", "unknown directive '.regs'"},
                                         Wrong{"mov.u32 u32, 5u;", "is not a number"},
                                         Wrong{"mov.u32 u32, 5L;", "is not a number"},
                                         Wrong{"mov.u32 u32, 09;", "digits of base 8 belong here"},
                                         Wrong{"mov.f32 f32, 0f3F80;", "8 hexadecimal digits belong here"},
                                         Wrong{"mov.u32 u32, 1/0;", "division by zero"}));

INSTANTIATE_TEST_SUITE_P(integers_that_ptxas_cuts_down, Refused,
                         testing::Values(Wrong{"mov.u64 u64, 18446744073709551616;",
                                               "does not fit 64 bits"}));
INSTANTIATE_TEST_SUITE_P(numbers_beyond_f64, Refused,
                         testing::Values(Wrong{"mov.f64 f64, 1e309;", "outside the range of f64"},
                                         Wrong{"mov.f64 f64, 4.9e-324;", "outside the range of f64"},
                                         Wrong{"mov.f32 f32, 1e-310;", "outside the range of f64"}));
INSTANTIATE_TEST_SUITE_P(roundings_of_what_needs_none, Refused,
                         testing::Values(Wrong{"cvt.rn.f64.f32 f64, f32;", ".rn and .f64 and .f32 do not go"},
                                         Wrong{"cvt.rni.f64.f32 f64, f32;", "do not go together"},
                                         Wrong{"cvt.rz.f32.f16 f32, b16;", "do not go together"},
                                         Wrong{"cvt.rn.f32.f32 f32, f32;", "do not go together"},
                                         Wrong{"cvt.rn.f64.f64 f64, f64;", "do not go together"}));
INSTANTIATE_TEST_SUITE_P(negated_destinations, Refused,
                         testing::Values(Wrong{"setp.eq.u32 !p|q, u32, u32;",
                                               "must be a destination register"}));
INSTANTIATE_TEST_SUITE_P(offsets_that_are_no_integers, Refused,
                         testing::Values(Wrong{"ld.global.f32 f32, [u64+1.0];",
                                               "an offset must be an integer"},
                                         Wrong{"ld.global.f32 f32, [gv+0f3F800000];", "an offset must be"}));
INSTANTIATE_TEST_SUITE_P(unified_addresses_elsewhere, Refused,
                         testing::Values(Wrong{"ld.shared.u32 u32, [sv].unified;", "must be an address"},
                                         Wrong{"st.global.u32 [gv].unified, u32;", "must be an address"}));
INSTANTIATE_TEST_SUITE_P(state_spaces_in_another_order, Refused,
                         testing::Values(Wrong{"cp.reduce.async.bulk.shared::cta.global.bulk_group.add.u32 "
                                               "[u64], [u64], u32;",
                                               "no combination of modifiers"}));

} // namespace
} // namespace kerncast::ptx
