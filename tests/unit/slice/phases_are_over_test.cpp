// Claims: a loop that asks an mbarrier for its phase asks once, whichever way its branch goes, and nothing is
// assumed.
#include <gmock/gmock.h>

#include "slice_fixture.h"

namespace kerncast::slice_test {
namespace {

using tasklist::Space;
using testing::IsEmpty;

// As many trips as the parameter says, each of which waits.
Kernel waiting(const std::string& loop) {
  return Kernel::of_text(R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n)
{
.reg .pred %p<3>;
.reg .b32 %r<4>;
.reg .b64 %l<4>;
.shared .align 8 .b64 bar;
ld.param.u32 %r1, [n];
mov.u32 %r2, bar;
mov.u32 %r3, 0;
NEXT:
mbarrier.arrive.shared::cta.b64 %l1, [%r2];
)" + loop + R"(
add.u32 %r3, %r3, 1;
setp.lt.u32 %p2, %r3, %r1;
@%p2 bra NEXT;
ret;
}
)");
}

void expect_one_wait_a_trip(const std::string& loop) {
  const Kernel kernel = waiting(loop);
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {buffer(0), integer(8)}));
  EXPECT_THAT(b.assumptions, IsEmpty());
  EXPECT_EQ(load_shapes(b, kernel.list(), 0, Space::shared).size(), 8U) << loop;
}

TEST(Phases, AreOverWhenAThreadAsks) {
  // Leaves in the middle, as libraries write it, or at its end.
  expect_one_wait_a_trip("AGAIN: mbarrier.try_wait.shared::cta.b64 %p1, [%r2], %l1;\n"
                         "@%p1 bra DONE;\nbra AGAIN;\nDONE:");
  expect_one_wait_a_trip("AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], 0;\n@!%p1 bra AGAIN;");
  expect_one_wait_a_trip("AGAIN: mbarrier.test_wait.shared::cta.b64 %p1, [%r2], %l1;\n@!%p1 bra AGAIN;");
}

} // namespace
} // namespace kerncast::slice_test
