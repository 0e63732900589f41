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

} // namespace

SmResult continue_result(const SmResult& before, SmResult out, std::uint64_t chunks) {
  assert(before.ops.size() == out.ops.size() && "both are results of the same program, with operations");
  const auto factor = static_cast<double>(chunks);
  const auto advance = [factor](double& last, double earlier) { last += factor * (last - earlier); };
  const auto advance_count = [chunks](std::uint64_t& last, std::uint64_t earlier) {
    last += chunks * (last - earlier);
  };
  advance(out.cycles, before.cycles);
  advance_count(out.warp_instructions, before.warp_instructions);
  advance(out.resident_warp_cycles, before.resident_warp_cycles);
  for (std::size_t u = 0; u < out.unit_busy_cycles.size(); ++u)
    advance(out.unit_busy_cycles[u], before.unit_busy_cycles[u]);
  advance(out.l2_bytes, before.l2_bytes);
  advance(out.dram_bytes, before.dram_bytes);
  advance(out.issue_cycles, before.issue_cycles);
  advance(out.memory_port_cycles, before.memory_port_cycles);
  if (out.broken_barriers > before.broken_barriers)
    advance_count(out.broken_barriers, before.broken_barriers);
  for (std::size_t i = 0; i < out.ops.size(); ++i) {
    advance_count(out.ops[i].issued, before.ops[i].issued);
    for (std::size_t s = 0; s < warp_states; ++s)
      advance(out.ops[i].state_cycles[s], before.ops[i].state_cycles[s]);
  }
  keep_positive(out.ops);
  out.warp_state_cycles.fill(0);
  for (const OpResult& op : out.ops)
    for (std::size_t s = 0; s < warp_states; ++s)
      out.warp_state_cycles[s] += op.state_cycles[s];
  return out;
}

} // namespace kerncast::engine
