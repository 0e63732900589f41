// Accesses of the launch and spills are put in the order of the code: when a warp gets from one place of the
// code to a later one, it passes the spills between them; when it gets back to an earlier one, those that lie
// directly in front of it.
#include "hit_rates/spilled_source.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

namespace kerncast::hit_rates {
namespace {

using machine::MachineOp;
using tasklist::AccessPattern;
using tasklist::CtaTrace;
using tasklist::PlacedTrace;
using tasklist::TaskId;
using tasklist::TracedAccess;

using Position = std::uint32_t; // of an operation in the code
constexpr Position nowhere = std::numeric_limits<Position>::max();
// No address of a launch is as large.
constexpr std::uint64_t spill_base = std::uint64_t{0xE} << 60;

struct Spill {
  Position at = 0;
  TracedAccess access;
};

// Shared memory, constants and parameters are not.
bool is_traced(const MachineOp& op) {
  using enum tasklist::Space;
  constexpr std::array traced{global, local, generic, texture};
  return op.kind == machine::OpKind::memory && std::ranges::find(traced, op.space) != traced.end();
}

class SpilledSource final : public tasklist::AccessSource {
public:
  SpilledSource(std::unique_ptr<tasklist::AccessSource> inner, const tasklist::Tasklist& list,
                const machine::MachineProgram& program)
      : inner_(std::move(inner)), position_of_(list.tasks.size(), nowhere), before_(list.tasks.size(), 0),
        front_(list.local_bytes_per_thread) {
    Position last_access = 0;
    for (Position at = 0; at < program.ops_of_tasks().size(); ++at) {
      const MachineOp& op = program.ops[at];
      if (op.is_spill)
        spills_.push_back({at, access_of(op, task_of(op, list))});
      else if (is_traced(op) && position_of_[op.task] == nowhere) {
        position_of_[op.task] = at;
        before_[op.task] = std::exchange(last_access, at);
      }
    }
    first_of_inner_ = static_cast<std::uint32_t>(patterns_.size());
    note_patterns();
  }

  PlacedTrace cta(std::uint64_t number) override {
    PlacedTrace placed = inner_->cta(number);
    note_patterns();
    if (placed.own_patterns) {
      auto own = std::make_shared<std::vector<AccessPattern>>(patterns_.begin(),
                                                              patterns_.begin() + first_of_inner_);
      own->insert(own->end(), placed.own_patterns->begin(), placed.own_patterns->end());
      placed.own_patterns = std::move(own);
    }
    if (known_ != placed.trace) {
      known_ = placed.trace;
      spilled_ = std::make_shared<CtaTrace>(spilled(*known_));
    }
    placed.trace = spilled_;
    return placed;
  }
  const std::vector<AccessPattern>& patterns() const override { return patterns_; }
  std::uint64_t executed() const override { return inner_->executed(); }

private:
  TracedAccess access_of(const MachineOp& op, TaskId task) {
    const auto [known, is_new] =
        pattern_of_.try_emplace(op.access_bytes, static_cast<std::uint32_t>(patterns_.size()));
    if (is_new) {
      AccessPattern pattern{.local = true, .mask = ~std::uint32_t{0}, .bytes = op.access_bytes};
      for (std::uint32_t lane = 0; lane < tasklist::lanes_per_warp; ++lane)
        pattern.offsets[lane] = std::int64_t{lane} * op.access_bytes;
      patterns_.push_back(pattern);
    }
    const std::uint64_t in_frame = (front_ + std::uint64_t{op.frame_offset}) * tasklist::lanes_per_warp;
    return {.address = spill_base + in_frame, .task = task, .pattern = known->second};
  }

  // Those of the launch become known as its CTAs are executed.
  void note_patterns() {
    const std::vector<AccessPattern>& inner = inner_->patterns();
    patterns_.insert(patterns_.end(), inner.begin() + (patterns_.size() - first_of_inner_), inner.end());
  }

  CtaTrace spilled(const CtaTrace& plain) const {
    CtaTrace trace{.accesses = {}, .warp_begin = {}, .truncated = plain.truncated};
    for (std::size_t w = 0; w + 1 < plain.warp_begin.size(); ++w) {
      trace.warp_begin.push_back(static_cast<std::uint32_t>(trace.accesses.size()));
      Position at = 0;
      for (std::uint32_t i = plain.warp_begin[w]; i < plain.warp_begin[w + 1]; ++i) {
        TracedAccess access = plain.accesses[i];
        const Position next = position_of_[access.task];
        if (next != nowhere) {
          add_spills(next > at ? at : before_[access.task], next, trace.accesses);
          at = next;
        }
        access.pattern += first_of_inner_;
        trace.accesses.push_back(access);
      }
      if (!plain.truncated)
        add_spills(at, nowhere, trace.accesses);
    }
    trace.warp_begin.push_back(static_cast<std::uint32_t>(trace.accesses.size()));
    return trace;
  }

  void add_spills(Position begin, Position end, std::vector<TracedAccess>& accesses) const {
    const auto first = std::ranges::lower_bound(spills_, begin, {}, &Spill::at);
    for (auto spill = first; spill != spills_.end() && spill->at < end; ++spill)
      accesses.push_back(spill->access);
  }

  std::unique_ptr<tasklist::AccessSource> inner_;
  std::vector<Position> position_of_;                 // of a task's first operation, by task
  std::vector<Position> before_;                      // of the last access in front of that, by task
  std::uint64_t front_;                               // bytes per thread in front of the spills
  std::vector<Spill> spills_;                         // in the order of the code
  std::map<std::uint16_t, std::uint32_t> pattern_of_; // of a spill, by bytes per lane
  std::vector<AccessPattern> patterns_;               // of spills, then of the launch
  std::uint32_t first_of_inner_ = 0;
  std::shared_ptr<const CtaTrace> known_, spilled_; // the last one: neighbours share it
};

} // namespace

std::unique_ptr<tasklist::AccessSource> with_spills(std::unique_ptr<tasklist::AccessSource> source,
                                                    const tasklist::Tasklist& list,
                                                    const machine::MachineProgram& program) {
  if (source == nullptr || program.spill_bytes == 0)
    return source;
  return std::make_unique<SpilledSource>(std::move(source), list, program);
}

} // namespace kerncast::hit_rates
