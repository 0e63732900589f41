// CTAs of a kernel do on an SM that could hold those of another one, too, what they do on an SM of their own.
#include <gtest/gtest.h>

#include "engine/merged_program.h"
#include "engine/simulate_sm.h"
#include "random_workload.h"

namespace kerncast::engine {
namespace {

// Two of alike SMs and CTAs of equally many warps. What is drawn for an access, and the line that an
// instruction is in, depend on where it is in the program: there are none.
std::pair<SmWorkload, SmWorkload> two_kernels(std::uint32_t seed) {
  SmWorkload first = RandomWorkload(2 * seed).make(policies[seed % 4]);
  SmWorkload second = RandomWorkload(2 * seed + 1).make(policies[seed % 4]);
  first.config.instruction_cache_lines = 0;
  first.config.units.resize(4, first.config.units.front()); // every operation finds its own
  second.config = first.config;
  for (SmWorkload* one : {&first, &second}) {
    SmProgram program = *one->program;
    for (memory_model::Request& request : program.requests)
      request.levels = {};
    one->program = std::make_shared<const SmProgram>(std::move(program));
  }
  const std::size_t warps = first.kinds[0].warp_paths.size();
  for (CtaKind& kind : second.kinds)
    kind.warp_paths.resize(warps, kind.warp_paths.front());
  return {first, second};
}

SmResult on_merged(const MergedWorkload& merged, std::size_t kernel, const SmWorkload& alone) {
  SmWorkload sm = merged.sm;
  sm.resident_ctas = alone.resident_ctas;
  for (CtaRun run : alone.ctas)
    sm.ctas.push_back({run.kind + merged.kernels[kernel].first_kind, run.count});
  return simulate_sm(sm);
}

TEST(merged_programs, do_the_same) {
  std::uint64_t instructions = 0;
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    const auto [first, second] = two_kernels(seed);
    const SmWorkload* const both[] = {&first, &second};
    const MergedWorkload merged = merge(both);
    for (std::size_t i = 0; i < 2; ++i) {
      const SmResult alone = simulate_sm(*both[i]);
      const SmResult together = on_merged(merged, i, *both[i]);
      ASSERT_EQ(together.cycles, alone.cycles) << seed << ' ' << i;
      EXPECT_EQ(together.warp_state_cycles, alone.warp_state_cycles) << seed;
      EXPECT_EQ(together.l2_bytes, alone.l2_bytes) << seed;
      EXPECT_EQ(together.dram_bytes, alone.dram_bytes) << seed;
      EXPECT_EQ(together.unit_busy_cycles, alone.unit_busy_cycles) << seed;
      EXPECT_EQ(together.broken_barriers, alone.broken_barriers) << seed;
      instructions += alone.warp_instructions;
    }
  }
  EXPECT_GT(instructions, 100'000U);
}

} // namespace
} // namespace kerncast::engine
