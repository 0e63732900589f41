// Claim: leaving out idle visits and idle cycles changes nothing, on any tasklist and any hardware.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "plain_stepping.h"

namespace kerncast::ppt_gpu_2019 {
namespace {

constexpr ItemKind kinds[] = {ItemKind::ialu,     ItemKind::falu,    ItemKind::dalu,
                              ItemKind::sfu,      ItemKind::global,  ItemKind::global_other,
                              ItemKind::shared,   ItemKind::local,   ItemKind::param,
                              ItemKind::constant, ItemKind::texture, ItemKind::thread_sync};

// Latencies with fractions, and now and then one that is longer than the ring of sleeping warps.
double any_latency() {
  return *rc::gen::weightedOneOf<double>(
      {{8, rc::gen::map(rc::gen::inRange(0, 160), [](int quarters) { return quarters / 4.0; })},
       {2, rc::gen::cast<double>(rc::gen::inRange(100, 500))},
       {1, rc::gen::cast<double>(rc::gen::inRange(1000, 3500))}});
}

std::uint32_t any_count(std::uint32_t least, std::uint32_t most) {
  return *rc::gen::inRange(least, most + 1);
}

Hardware any_hardware() {
  Hardware hw;
  hw.sms = 1;
  hw.sp_lanes = 32 * any_count(0, 4);
  hw.dp_lanes = 32 * any_count(0, 2);
  hw.sf_lanes = any_count(0, 64);
  hw.load_store_units = any_count(1, 4);
  hw.warp_schedulers = any_count(1, 4);
  hw.instructions_per_warp = any_count(1, 3);
  hw.registers_per_sm = max_count;
  hw.max_blocks_per_sm = any_count(1, 5);
  hw.max_threads_per_sm = 8192; // more than 64 warps now and then
  hw.max_threads_per_block = 1024;
  hw.memory_queue_entries = any_count(1, 12);
  hw.clock_hz = 1e9;
  for (const auto latency :
       {&Hardware::l2_latency, &Hardware::l2_to_global_latency, &Hardware::local_latency,
        &Hardware::constant_latency, &Hardware::texture_latency, &Hardware::shared_latency})
    hw.*latency = any_latency();
  return hw;
}

Input any_input() {
  Input input;
  input.hardware = any_hardware();
  input.launch = {.grid_blocks = 100,
                  .threads_per_block = any_count(1, 800),
                  .registers_per_thread = 1,
                  .l2_hit = any_count(0, 10) / 10.0};
  const std::uint32_t items = any_count(1, 30);
  for (std::uint32_t i = 0; i < items; ++i) {
    Item item{.kind = kinds[any_count(0, std::size(kinds) - 1)],
              .latency = any_latency(),
              .first_dependency = static_cast<std::uint32_t>(input.dependencies.size()),
              .dependency_count = i == 0 ? 0 : any_count(0, 4)};
    for (std::uint32_t d = 0; d < item.dependency_count; ++d)
      input.dependencies.push_back(any_count(0, i - 1));
    input.items.push_back(item);
  }
  return input;
}

RC_GTEST_PROP(EqualsPlainStepping, cycles_block_ends_and_issues, ()) {
  const Input input = any_input();
  const Expected<Result> fast = predict(input);
  RC_ASSERT(fast.has_value());
  const Result plain = plain_stepping(input, static_cast<std::uint32_t>(fast->blocks_per_sm));
  RC_ASSERT(fast->cycles == plain.cycles);
  RC_ASSERT(fast->block_end_computations == plain.block_end_computations);
  RC_ASSERT(fast->block_actual_end == plain.block_actual_end);
  RC_ASSERT(fast->warp_issue_events == plain.warp_issue_events);
}

} // namespace
} // namespace kerncast::ppt_gpu_2019
