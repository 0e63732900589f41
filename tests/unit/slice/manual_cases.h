// One instruction, its operands and the result that the PTX manual defines. Lane 1 is looked at, where a
// counts three times and b one more: operands are chosen so that a * 3 and b + 1 are the values in the cases.
#pragma once

#include "instruction_probe.h"

namespace kerncast::slice_test {

struct Case {
  const char* instruction;
  std::uint64_t a, b, c; // of lane 1
  std::uint64_t result;
};

class Manual : public testing::TestWithParam<Case> {};

inline void expect_manuals_result(const Case& c) {
  constexpr std::uint64_t third = 0xaaaaaaaaaaaaaaabULL; // 3 * third = 1 modulo 2^64
  const auto results = InstructionProbe(c.instruction).run(c.a * third, c.b - 1, c.c, 2);
  ASSERT_TRUE(results) << c.instruction;
  EXPECT_EQ((*results)[1], c.result) << c.instruction;
}

} // namespace kerncast::slice_test
