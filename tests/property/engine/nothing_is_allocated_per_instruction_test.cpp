// A simulation allocates when it is laid out, and for what is under way at the same time; not for what it
// steps through.
#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "engine/simulate_sm.h"
#include "random_workload.h"

namespace {
std::atomic<std::uint64_t> allocations = 0;
}

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes))
    return memory;
  throw std::bad_alloc();
}
// As std::stable_sort asks for its buffer; it gives it back to the delete below.
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  ++allocations;
  return std::malloc(bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }

namespace kerncast::engine {
namespace {

SmWorkload with_iterations(SmWorkload workload, std::uint64_t iterations) {
  SmProgram program = *workload.program;
  for (Step& step : program.steps)
    if (step.kind == Step::Kind::loop_end && step.depth == 0)
      step.count = iterations;
  workload.program = std::make_shared<const SmProgram>(std::move(program));
  return workload;
}

struct Cost {
  std::uint64_t allocations = 0;
  std::uint64_t instructions = 0;
};

Cost cost_of(const SmWorkload& workload) {
  const std::uint64_t before = allocations;
  const std::uint64_t instructions = simulate_sm(workload).warp_instructions;
  return {allocations - before, instructions};
}

// 20 times the iterations: what is under way may once reach twice the size, which is an allocation.
TEST(simulate_sm, allocates_nothing_per_instruction) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const SmWorkload workload = RandomWorkload(seed).make(configs::SchedulerPolicy::gto);
    const Cost few = cost_of(with_iterations(workload, 50));
    const Cost many = cost_of(with_iterations(workload, 1000));
    EXPECT_GE(many.instructions, 5 * few.instructions) << "seed " << seed;
    EXPECT_LE(many.allocations, few.allocations + 2) << "seed " << seed;
  }
}

} // namespace
} // namespace kerncast::engine
