// The tool's loop over cycles, blocks and warps, without the visits that change nothing.
//
// The tool looks at every active warp in every cycle, in order, until as many warps as there are schedulers
// have issued. A visit is left out here only if it could neither issue nor change anything:
//  - the warp sleeps (its operand was found missing) or waits at a barrier;
//  - the warp's operands are known to be there, its item needs a port, and the port is taken for this cycle.
// Cycles in which every visit is of that kind are passed over.
#include "sm.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "memory_queue.h"
#include "wake_queue.h"
#include "warp_set.h"

namespace kerncast::ppt_gpu_2019 {
namespace {

constexpr auto ls_port = static_cast<std::size_t>(Port::ls);

struct Block {
  std::uint32_t active_warps = 0;
  std::uint32_t at_barrier = 0;
  std::int64_t inactive_from = 0; // cycle
  double actual_end = 0;
};

class Sm {
public:
  Sm(const Program& program, const Hardware& hardware, std::uint32_t blocks, std::uint32_t warps_per_block);
  SmRun run();

private:
  void run_cycle();
  bool step(std::uint32_t warp);
  bool process(std::uint32_t warp, const Op& op);
  double operands_ready(const double* completions, const Op& op) const;
  double* completions_of(std::uint32_t warp) {
    return completions_.data() + std::size_t{warp} * program_.slot_count;
  }
  void take(std::size_t port);
  std::uint64_t refused(std::size_t word) const;
  void arrive(std::uint32_t warp);
  void retire(std::uint32_t warp);
  std::int64_t next_cycle() const;

  const Program& program_;
  std::uint32_t schedulers_;
  std::uint32_t issues_per_warp_;
  std::uint32_t warps_per_block_;
  std::array<std::uint32_t, ports> slots_;
  std::array<std::uint32_t, ports> slots_left_{};
  std::uint32_t taken_ = 0;            // bit per port: refuses everybody for the rest of this cycle
  std::vector<std::uint32_t> next_op_; // per warp
  std::vector<Block> blocks_;
  std::vector<double> completions_;    // per warp, Program::slot_count each
  WarpSet eligible_;                   // active, not asleep, not at a barrier
  std::array<WarpSet, ports> waiting_; // eligible and known to lack nothing but the port
  WakeQueue asleep_;
  MemoryQueue memory_;
  std::uint32_t active_warps_;
  std::int64_t cycle_ = 0;
  double now_ = 0; // cycle_, for comparison with completions
  std::uint64_t issue_events_ = 0;
};

// The tool has one slot for each full warp's worth of lanes, at least one; load/store units count singly.
std::array<std::uint32_t, ports> slots(const Hardware& hardware) {
  const auto warps_wide = [](std::uint32_t lanes) { return std::max(1U, lanes / 32); };
  return {warps_wide(hardware.sp_lanes),
          warps_wide(hardware.dp_lanes),
          warps_wide(hardware.sf_lanes),
          hardware.load_store_units,
          UINT32_MAX,
          UINT32_MAX};
}

Sm::Sm(const Program& program, const Hardware& hardware, std::uint32_t blocks, std::uint32_t warps_per_block)
    : program_(program), schedulers_(hardware.warp_schedulers),
      issues_per_warp_(hardware.instructions_per_warp), warps_per_block_(warps_per_block),
      slots_(slots(hardware)), next_op_(std::size_t{blocks} * warps_per_block),
      blocks_(blocks, Block{.active_warps = warps_per_block}),
      completions_(next_op_.size() * program.slot_count),
      eligible_(static_cast<std::uint32_t>(next_op_.size())), waiting_{eligible_, eligible_, eligible_,
                                                                       eligible_, eligible_, eligible_},
      asleep_(static_cast<std::uint32_t>(next_op_.size())), memory_(hardware.memory_queue_entries),
      active_warps_(static_cast<std::uint32_t>(next_op_.size())) {
  // A warp acts only in cycles after the one it is stalled to, which is 0 at the start.
  for (std::uint32_t w = 0; w < next_op_.size(); ++w)
    asleep_.sleep(w, 1, 0);
}

// The warps of a word that wait for a port that is taken for the rest of this cycle.
std::uint64_t Sm::refused(std::size_t word) const {
  std::uint64_t result = 0;
  for (std::uint32_t left = taken_; left != 0; left &= left - 1)
    result |= waiting_[static_cast<std::size_t>(std::countr_zero(left))].word(word);
  return result;
}

// A refused memory access holds its load/store unit all the same, which nobody notices: while the queue is
// full the accesses after it would be refused anyway.
void Sm::take(std::size_t port) {
  const bool refuses = --slots_left_[port] == 0 || (port == ls_port && memory_.full(now_));
  taken_ |= static_cast<std::uint32_t>(refuses) << port;
}

double Sm::operands_ready(const double* completions, const Op& op) const {
  double ready = std::max(completions[op.sources[0]], completions[op.sources[1]]);
  if (op.more_count != 0) [[unlikely]]
    for (const std::uint32_t source : program_.more_sources_of(op))
      ready = std::max(ready, completions[source]);
  return ready;
}

void Sm::arrive(std::uint32_t warp) {
  eligible_.erase(warp);
  Block& block = blocks_[warp / warps_per_block_];
  if (++block.at_barrier < warps_per_block_)
    return;
  // Nobody of the block is looked at again in this cycle: all the others arrived before.
  block.at_barrier = 0;
  const std::uint32_t first = warp - warp % warps_per_block_;
  for (std::uint32_t w = first; w < first + warps_per_block_; ++w)
    eligible_.insert(w);
}

void Sm::retire(std::uint32_t warp) {
  eligible_.erase(warp);
  --active_warps_;
  Block& block = blocks_[warp / warps_per_block_];
  if (--block.active_warps == 0)
    block.inactive_from = cycle_ + 1;
  // The tool takes the completion of the last item, not the latest completion.
  const Op& last = program_.ops.back();
  if (last.port != Port::barrier)
    block.actual_end = std::max(block.actual_end, completions_of(warp)[last.destination]);
}

// Issues the warp's next item, or notes why it cannot.
bool Sm::process(std::uint32_t warp, const Op& op) {
  double* completions = completions_of(warp);
  const double ready = operands_ready(completions, op);
  if (now_ < ready) {
    eligible_.erase(warp);
    asleep_.sleep(warp, static_cast<std::int64_t>(ready) + 1, cycle_); // strictly after `ready`
    return false;
  }
  const auto port = static_cast<std::size_t>(op.port);
  if ((taken_ >> port & 1) != 0) {
    waiting_[port].insert(warp);
    return false;
  }
  const double completion = now_ + op.latency;
  completions[op.destination] = completion;
  completions[latest_slot] = std::max(completions[latest_slot], completion);
  if (op.port == Port::ls)
    memory_.push(now_, completion);
  take(port);
  waiting_[port].erase(warp);
  return true;
}

// One visit of the schedulers. False if nothing issued.
bool Sm::step(std::uint32_t warp) {
  std::uint32_t& next_op = next_op_[warp];
  const std::uint32_t first = next_op;
  for (std::uint32_t i = 0; i < issues_per_warp_; ++i) {
    if (next_op == program_.ops.size()) {
      retire(warp);
      break;
    }
    const Op& op = program_.ops[next_op];
    if (!process(warp, op))
      break;
    ++next_op;
    if (op.port == Port::barrier) {
      arrive(warp);
      break;
    }
  }
  return next_op != first;
}

void Sm::run_cycle() {
  asleep_.wake(cycle_, [this](std::uint32_t warp) { eligible_.insert(warp); });
  slots_left_ = slots_;
  taken_ = static_cast<std::uint32_t>(memory_.full(now_)) << ls_port;
  std::uint32_t issued = 0;
  for (std::size_t word = 0; word < eligible_.word_count(); ++word) {
    std::uint64_t candidates = eligible_.word(word) & ~refused(word);
    while (candidates != 0) {
      if (issued == schedulers_)
        return;
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(candidates));
      if (step(static_cast<std::uint32_t>(word) * 64 + bit)) {
        ++issued;
        ++issue_events_;
        candidates &= ~refused(word);
      }
      candidates &= ~(std::uint64_t{1} << bit);
    }
  }
}

// The next cycle in which a visit can issue or change something.
std::int64_t Sm::next_cycle() const {
  const WarpSet& for_memory = waiting_[ls_port];
  const bool memory_full = memory_.full(now_ + 1);
  if (memory_full ? !eligible_.is_subset_of(for_memory) : !eligible_.empty())
    return cycle_ + 1;
  const std::int64_t wake = asleep_.next(cycle_);
  return memory_full && !for_memory.empty() ? std::min(wake, memory_.drained_at()) : wake;
}

SmRun Sm::run() {
  while (active_warps_ > 0) {
    cycle_ = next_cycle();
    assert(cycle_ != WakeQueue::never && "all warps execute the same items, so every barrier is reached");
    now_ = static_cast<double>(cycle_);
    run_cycle();
  }
  SmRun result;
  result.issue_events = issue_events_;
  for (const Block& block : blocks_) {
    // The tool looks at its blocks in order and stops at the first active one.
    result.cycles = std::max(result.cycles, static_cast<double>(block.inactive_from));
    result.block_end_computations.push_back(result.cycles);
    result.block_actual_end.push_back(block.actual_end);
  }
  return result;
}

} // namespace

SmRun run_sm(const Program& program, const Hardware& hardware, std::uint32_t blocks,
             std::uint32_t warps_per_block) {
  return Sm(program, hardware, blocks, warps_per_block).run();
}

} // namespace kerncast::ppt_gpu_2019
