// The addresses of any CTA, by moving those of executed ones, are those of executing it.
#include <cstring>

#include <fmt/format.h>

#include "slice/grid_accesses.h"
#include "slice_fixture.h"

namespace kerncast::slice_test {
namespace {

using tasklist::AccessSource;
using tasklist::PlacedTrace;

std::unique_ptr<AccessSource> trace(const Kernel& kernel, const Launch& launch,
                                    const slice::TraceOptions& options = {}) {
  auto source = slice::trace_grid(kernel.program(), launch, options);
  EXPECT_TRUE(source) << render(source.error());
  return std::move(*source);
}

// Every CTA of the grid, moved and executed.
void expect_equal_to_executing(const Kernel& kernel, const Launch& launch) {
  const auto moved = trace(kernel, launch);
  const auto executed = trace(kernel, launch, {.max_explored_ctas = 0});
  for (std::uint64_t n = 0; n < launch.grid.count(); ++n) {
    const PlacedTrace a = moved->cta(n), b = executed->cta(n);
    ASSERT_EQ(a.trace->warp_begin, b.trace->warp_begin) << n;
    for (std::size_t i = 0; i < a.trace->accesses.size(); ++i) {
      const auto &x = a.trace->accesses[i], &y = b.trace->accesses[i];
      ASSERT_EQ(x.task, y.task);
      ASSERT_EQ(moved->patterns()[x.pattern], executed->patterns()[y.pattern]);
      ASSERT_EQ(a.address(x), b.address(y)) << fmt::format("CTA {} access {}", n, i);
    }
  }
  EXPECT_LT(moved->executed(), launch.grid.count());
}

TEST(grid_accesses, of_a_stencil_with_edges) {
  expect_equal_to_executing(
      Kernel::of_path("apps/workloads/rodinia/hotspot/hotspot.ptx", "calculate_temp"),
      launch({43, 43, 1}, {16, 16, 1},
             {integer(2), buffer(0), buffer(1), buffer(2), integer(512), integer(512), integer(2), integer(2),
              real(1), real(1), real(1), real(1), real(1), real(1)}));
}

TEST(grid_accesses, of_a_matrix_product) {
  expect_equal_to_executing(Kernel::of_path("apps/workloads/parboil/sgemm/sgemm.ptx", "mysgemmNT"),
                            launch({8, 66, 1}, {16, 8, 1},
                                   {buffer(0), integer(1024), buffer(1), integer(1056), buffer(2),
                                    integer(1024), integer(64), real(1), real(0)}));
}

const char* const scale = R"(.version 7.8
.target sm_75
.address_size 64
.visible .entry scale(.param .u64 a, .param .u32 n)
{
.reg .pred %p;
.reg .b32 %r<8>;
.reg .b64 %rd<8>;
ld.param.u64 %rd1, [a];
ld.param.u32 %r1, [n];
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %tid.x;
mad.lo.s32 %r4, %r2, 32, %r3;
mul.wide.u32 %rd2, %r4, 4;
add.s64 %rd3, %rd1, %rd2;
mov.u32 %r5, 0;
LOOP:
ld.global.u32 %r6, [%rd3];
st.global.u32 [%rd3+65536], %r6;
add.s64 %rd3, %rd3, 128;
add.u32 %r5, %r5, 1;
setp.lt.u32 %p, %r5, %r1;
@%p bra LOOP;
ret;
}
)";

// Three iterations: a load and a store each, 128 bytes on; CTA 5 begins 5 x 32 words behind the buffer's
// start.
TEST(grid_accesses, are_those_of_every_iteration) {
  const auto source =
      trace(Kernel::of_text(scale), launch({1000, 1, 1}, {32, 1, 1}, {buffer(0), integer(3)}));
  const PlacedTrace first = source->cta(0), fifth = source->cta(5);
  ASSERT_EQ(fifth.trace->accesses.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_EQ(fifth.address(fifth.trace->accesses[i]),
              first.address(first.trace->accesses[0]) + 5 * 128 + i / 2 * 128 + i % 2 * 65536);
  EXPECT_FALSE(fifth.trace->truncated);
  EXPECT_LT(source->executed(), 20U);
}

// Loops are not skipped, only cut.
TEST(grid_accesses, of_a_long_warp_are_cut_where_asked) {
  const auto source =
      trace(Kernel::of_text(scale), launch({4, 1, 1}, {32, 1, 1}, {buffer(0), integer(100'000)}),
            {.accesses_per_warp = 500});
  EXPECT_TRUE(source->cta(2).trace->truncated);
  EXPECT_EQ(source->cta(2).trace->accesses.size(), 500U);
}

// What CTAs that are executed one by one access, whichever was asked for before; their patterns are their
// own.
TEST(grid_accesses, are_the_same_in_any_order) {
  const Kernel kernel = Kernel::of_file("tables.ptx", "gather");
  std::vector<std::int32_t> table(256);
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] = static_cast<std::int32_t>(i * i % 97);
  std::vector<std::uint8_t> bytes(table.size() * sizeof table[0]);
  std::memcpy(bytes.data(), table.data(), bytes.size());
  auto contents = std::make_shared<slice::KnownContents>();
  contents->buffers = {nullptr, std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes))};
  const Launch of_table = launch({8, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1), buffer(2)});
  const slice::TraceOptions options{.contents = std::move(contents), .in_any_order = true};
  const auto forth = trace(kernel, of_table, options), back = trace(kernel, of_table, options);
  std::vector<PlacedTrace> of_cta;
  for (std::uint64_t n = 0; n < 8; ++n)
    of_cta.push_back(forth->cta(n));
  EXPECT_EQ(forth->executed(), 8U);
  EXPECT_EQ(forth->patterns(), trace(kernel, of_table, options)->patterns()); // nothing has been added
  for (std::uint64_t n = 8; n-- > 0;) {
    const PlacedTrace placed = back->cta(n);
    ASSERT_NE(placed.own_patterns, nullptr);
    EXPECT_EQ(placed.trace->accesses, of_cta[n].trace->accesses) << n;
    EXPECT_EQ(*placed.own_patterns, *of_cta[n].own_patterns) << n;
  }
}

} // namespace
} // namespace kerncast::slice_test
