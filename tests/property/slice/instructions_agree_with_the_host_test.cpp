// Random operands in every lane: each instruction gives what the host's arithmetic gives.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "instruction_probe.h"

namespace kerncast::slice_test {
namespace {

using U32 = std::uint32_t;
using S32 = std::int32_t;
using S64 = std::int64_t;
__extension__ using Wide = __int128;

U32 low(U64 x) { return static_cast<U32>(x); }
S32 sign(U64 x) { return static_cast<S32>(low(x)); }
U64 bits(S32 x) { return static_cast<U32>(x); }
S64 sign64(U64 x) { return static_cast<S64>(x); }

struct Rule {
  const char* instruction;
  U64 (*host)(U64 a, U64 b, U64 c);
};

const Rule rules[] = {
    {"add.u32 %word, %ra, %rb;", [](U64 a, U64 b, U64) -> U64 { return low(a + b); }},
    {"sub.u64 %result, %a, %b;", [](U64 a, U64 b, U64) -> U64 { return a - b; }},
    {"mul.lo.u32 %word, %ra, %rb;", [](U64 a, U64 b, U64) -> U64 { return low(a * b); }},
    {"mul.lo.s64 %result, %a, %b;", [](U64 a, U64 b, U64) -> U64 { return a * b; }},
    {"mul.hi.s32 %word, %ra, %rb;",
     [](U64 a, U64 b, U64) -> U64 { return low(static_cast<U64>(S64{sign(a)} * sign(b)) >> 32); }},
    {"mul.hi.s64 %result, %a, %b;",
     [](U64 a, U64 b, U64) -> U64 { return static_cast<U64>((Wide{sign64(a)} * sign64(b)) >> 64); }},
    {"mul.wide.s32 %result, %ra, %rb;",
     [](U64 a, U64 b, U64) -> U64 { return static_cast<U64>(S64{sign(a)} * sign(b)); }},
    {"mad.lo.u32 %word, %ra, %rb, %rc;", [](U64 a, U64 b, U64 c) -> U64 { return low(a * b + c); }},
    {"mad.wide.u32 %result, %ra, %rb, %c;",
     [](U64 a, U64 b, U64 c) -> U64 { return U64{low(a)} * low(b) + c; }},
    {"min.s32 %word, %ra, %rb;", [](U64 a, U64 b, U64) -> U64 { return bits(std::min(sign(a), sign(b))); }},
    {"max.u64 %result, %a, %b;", [](U64 a, U64 b, U64) -> U64 { return std::max(a, b); }},
    {"xor.b64 %result, %a, %b;", [](U64 a, U64 b, U64) -> U64 { return a ^ b; }},
    {"and.b32 %word, %ra, %rb;", [](U64 a, U64 b, U64) -> U64 { return low(a & b); }},
    {"lop3.b32 %word, %ra, %rb, %rc, 0xca;", // a ? b : c
     [](U64 a, U64 b, U64 c) -> U64 { return low((a & b) | (~a & c)); }},
    {"shl.b32 %word, %ra, %rb;",
     [](U64 a, U64 b, U64) -> U64 { return low(b) > 31 ? 0 : low(low(a) << low(b)); }},
    {"shr.s32 %word, %ra, %rb;",
     [](U64 a, U64 b, U64) -> U64 { return bits(sign(a) >> std::min(low(b), 31U)); }},
    {"shr.u64 %result, %a, %rb;", [](U64 a, U64 b, U64) -> U64 { return low(b) > 63 ? 0 : a >> low(b); }},
    {"popc.b32 %word, %ra;", [](U64 a, U64, U64) -> U64 { return static_cast<U64>(std::popcount(low(a))); }},
    {"clz.b64 %word, %a;", [](U64 a, U64, U64) -> U64 { return static_cast<U64>(std::countl_zero(a)); }},
    {"setp.ge.s32 %truth, %ra, %rb;", [](U64 a, U64 b, U64) -> U64 { return sign(a) >= sign(b) ? 1 : 0; }},
    {"setp.lt.or.u32 %truth, %ra, %rb, %pc;",
     [](U64 a, U64 b, U64 c) -> U64 { return low(a) < low(b) || (c & 1) != 0 ? 1 : 0; }},
    {"selp.b32 %word, %ra, %rb, %pa;",
     [](U64 a, U64 b, U64) -> U64 { return (a & 1) != 0 ? low(a) : low(b); }},
    {"cvt.s64.s32 %result, %ra;", [](U64 a, U64, U64) -> U64 { return static_cast<U64>(S64{sign(a)}); }},
    {"cvt.rn.f32.s32 %float, %ra;",
     [](U64 a, U64, U64) -> U64 { return std::bit_cast<U32>(static_cast<float>(sign(a))); }},
    {"cvt.rn.f64.s64 %double, %a;",
     [](U64 a, U64, U64) -> U64 { return std::bit_cast<U64>(static_cast<double>(sign64(a))); }},
    {"bfe.u32 %word, %ra, 5, 9;", [](U64 a, U64, U64) -> U64 { return low(a) >> 5 & 511; }},
    {"bfi.b32 %word, %ra, %rb, 7, 6;",
     [](U64 a, U64 b, U64) -> U64 { return (low(b) & ~(63U << 7)) | (low(a) & 63U) << 7; }},
};

class HostArithmetic : public testing::TestWithParam<Rule> {};

TEST_P(HostArithmetic, Agrees) {
  const Rule rule = GetParam();
  const InstructionProbe probe(rule.instruction);
  const bool agrees = rc::check(rule.instruction, [&] {
    // Small second operands make shifts and comparisons meet their limits.
    const U64 a = *rc::gen::arbitrary<U64>();
    const U64 b = *rc::gen::oneOf(rc::gen::arbitrary<U64>(), rc::gen::inRange<U64>(0, 70));
    const U64 c = *rc::gen::arbitrary<U64>();
    const auto results = probe.run(a, b, c);
    RC_ASSERT(results.has_value());
    for (std::uint32_t lane = 1; lane < 32; ++lane)
      RC_ASSERT((*results)[lane] == rule.host(operand_a(a, lane), operand_b(b, lane), c));
  });
  EXPECT_TRUE(agrees);
}

INSTANTIATE_TEST_SUITE_P(Rules, HostArithmetic, testing::ValuesIn(rules));

TEST(HostDivision, AgreesWhereTheDivisorIsNotZero) {
  const InstructionProbe quotient("div.s32 %word, %ra, %rc;"), remainder("rem.s32 %word, %ra, %rc;");
  EXPECT_TRUE(rc::check([&] {
    const U64 a = *rc::gen::arbitrary<U64>();
    const auto c = *rc::gen::nonZero<S32>();
    const auto q = quotient.run(a, 0, static_cast<U32>(c)), r = remainder.run(a, 0, static_cast<U32>(c));
    RC_ASSERT(q && r);
    for (std::uint32_t lane = 1; lane < 32; ++lane) {
      const S64 x = sign(operand_a(a, lane)); // 64 bits, so that the most negative value / -1 is defined
      RC_ASSERT(low((*q)[lane]) == low(static_cast<U64>(x / c)));
      RC_ASSERT(low((*r)[lane]) == low(static_cast<U64>(x % c)));
    }
  }));
}

} // namespace
} // namespace kerncast::slice_test
