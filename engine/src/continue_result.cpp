#include "continue_result.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace kerncast::engine {
namespace {

// A charge that happens to be smaller after one chunk more would become negative after many. What it lacks is
// taken from the largest charge beside it, so that the sum stays. Returns what the sum itself lacks.
double keep_positive(StateCycles& cycles) {
  const double sum = std::accumulate(cycles.begin(), cycles.end(), 0.0);
  if (sum < 0) {
    cycles.fill(0);
    return sum;
  }
  while (true) { // at every turn one more state is 0
    const auto [least, most] = std::minmax_element(cycles.begin(), cycles.end());
    if (*least >= 0)
      return 0;
    *most += *least;
    *least = 0;
  }
}

void keep_positive(std::vector<OpResult>& ops) {
  double lacking = 0;
  OpResult* costliest = nullptr;
  double most = 0;
  for (OpResult& op : ops) {
    lacking += keep_positive(op.state_cycles);
    const double largest = *std::max_element(op.state_cycles.begin(), op.state_cycles.end());
    if (largest > most) {
      most = largest;
      costliest = &op;
    }
  }
  if (costliest != nullptr)
    *std::max_element(costliest->state_cycles.begin(), costliest->state_cycles.end()) += lacking;
}

// What `after` has beyond `before`, so many times more.
void add_difference(SmResult& out, const SmResult& before, const SmResult& after, std::uint64_t times) {
  assert(before.ops.size() == out.ops.size() && "results of the same program, with operations");
  const auto factor = static_cast<double>(times);
  const auto add = [&](auto SmResult::*value) { out.*value += factor * (after.*value - before.*value); };
  for (const auto value : {&SmResult::cycles, &SmResult::trigger_cycles, &SmResult::prologue_cycles,
                           &SmResult::resident_warp_cycles, &SmResult::l2_bytes, &SmResult::l2_data_bytes,
                           &SmResult::l2_request_bytes, &SmResult::l2_fetched_bytes, &SmResult::dram_bytes,
                           &SmResult::issue_cycles, &SmResult::memory_port_cycles, &SmResult::hottest_turns})
    add(value);
  out.warp_instructions += times * (after.warp_instructions - before.warp_instructions);
  if (after.broken_barriers > before.broken_barriers)
    out.broken_barriers += times * (after.broken_barriers - before.broken_barriers);
  for (std::size_t u = 0; u < out.unit_busy_cycles.size(); ++u)
    out.unit_busy_cycles[u] += factor * (after.unit_busy_cycles[u] - before.unit_busy_cycles[u]);
  for (std::size_t i = 0; i < out.ops.size(); ++i) {
    out.ops[i].issued += times * (after.ops[i].issued - before.ops[i].issued);
    for (std::size_t s = 0; s < warp_states; ++s)
      out.ops[i].state_cycles[s] += factor * (after.ops[i].state_cycles[s] - before.ops[i].state_cycles[s]);
  }
}

} // namespace

SmResult continue_result(std::span<const SmResult> samples, std::uint64_t chunks) {
  SmResult out = samples.back();
  const std::size_t last = samples.size() - 1;
  for (std::size_t k = 1; k <= last; ++k) // between the two lie 2^(k - 1) chunks
    add_difference(out, samples[k - 1], samples[k], k == last ? chunks >> (k - 1) : chunks >> (k - 1) & 1);
  for (double* const part : {&out.trigger_cycles, &out.prologue_cycles})
    *part = std::clamp(*part, 0.0, std::max(0.0, out.cycles));
  keep_positive(out.ops);
  out.warp_state_cycles.fill(0);
  for (const OpResult& op : out.ops)
    for (std::size_t s = 0; s < warp_states; ++s)
      out.warp_state_cycles[s] += op.state_cycles[s];
  return out;
}

} // namespace kerncast::engine
