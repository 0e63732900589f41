// Loops that repeat are advanced in closed form; every iteration's address must still be the one that
// stepping through would give.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "slice_fixture.h"

namespace kerncast::slice_test {
namespace {

constexpr auto global = tasklist::Space::global;

RC_GTEST_PROP(LongLoops, EveryIterationHasItsAlignment, ()) {
  static const Kernel kernel = Kernel::of_file("counted_loop.ptx", "rolled_loop");
  const auto n = *rc::gen::inRange<std::int32_t>(0, 3000);
  const auto stride = *rc::gen::inRange<std::int32_t>(-200, 200);
  const auto b = kernel.execute(
      launch({1, 1, 1}, {32, 1, 1}, {buffer(0, 0, 0), buffer(1), integer(n), integer(stride)}));
  const auto loads = load_shapes(b, kernel.list(), 0, global);
  RC_ASSERT(loads.size() == static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n; ++k) {
    // Lane 0 reads element k * stride: its place in the 128-byte line.
    const auto alignment = static_cast<std::uint64_t>(k * stride * 4) % 128;
    RC_ASSERT(loads[static_cast<std::size_t>(k)].offsets[0] == alignment);
    RC_ASSERT(loads[static_cast<std::size_t>(k)].offsets[31] == alignment + 124);
  }
}

// Lane i counts from i * spread to n by step; the loop's end differs by lane.
RC_GTEST_PROP(LongLoops, LanesLeaveWhereTheyWould, ()) {
  static const Kernel kernel = Kernel::of_text(R"(.version 7.8
.target sm_75
.address_size 64
.visible .entry k(.param .u32 n, .param .u32 step, .param .u32 spread)
{
  .reg .pred %p;
  .shared .b32 tile;
  .reg .b32 %r<7>;
  ld.param.u32 %r1, [n];
  ld.param.u32 %r2, [step];
  ld.param.u32 %r3, [spread];
  mov.u32 %r4, %tid.x;
  mul.lo.u32 %r5, %r4, %r3;
LOOP:
  ld.shared.u32 %r6, [tile];
  add.s32 %r5, %r5, %r2;
  setp.lt.s32 %p, %r5, %r1;
  @%p bra LOOP;
  st.shared.u32 [tile], %r6;
  ret;
}
)");
  const auto n = *rc::gen::inRange<std::int32_t>(0, 5000);
  const auto step = *rc::gen::inRange<std::int32_t>(1, 9);
  const auto spread = *rc::gen::inRange<std::int32_t>(0, 40);
  const auto b = kernel.execute(launch({1, 1, 1}, {32, 1, 1}, {integer(n), integer(step), integer(spread)}));
  const auto loads = load_shapes(b, kernel.list(), 0, tasklist::Space::shared);
  std::vector<std::uint32_t> masks;
  std::array<std::int64_t, 32> counter{};
  for (std::int64_t lane = 0; lane < 32; ++lane)
    counter[static_cast<std::size_t>(lane)] = lane * spread;
  for (std::uint32_t mask = ~0U; mask != 0;) {
    masks.push_back(mask);
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      if ((mask >> lane & 1) != 0 && (counter[lane] += step) >= n)
        mask &= ~(1U << lane);
  }
  RC_ASSERT(loads.size() == masks.size());
  for (std::size_t k = 0; k < masks.size(); ++k)
    RC_ASSERT(loads[k].mask == masks[k]);
}

RC_GTEST_PROP(LongLoops, NestedLoopsLoadEveryElement, ()) {
  static const Kernel kernel = Kernel::of_file("counted_loop.ptx", "nested_loop");
  const auto rows = *rc::gen::inRange<std::int32_t>(0, 300);
  const auto columns = *rc::gen::inRange<std::int32_t>(0, 300);
  const auto b = kernel.execute(
      launch({1, 1, 1}, {32, 1, 1}, {buffer(0, 0, 0), buffer(1), integer(rows), integer(columns)}));
  RC_ASSERT(load_shapes(b, kernel.list(), 0, global).size() == static_cast<std::size_t>(rows * columns));
  RC_ASSERT(store_shapes(b, kernel.list(), 0, global).size() == static_cast<std::size_t>(rows));
}

} // namespace
} // namespace kerncast::slice_test
