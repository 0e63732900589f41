// A visit of a block ends where the next access is of another block, or not of a later task. Spills: when a
// warp gets from one place of the code to a later one, it passes the spills between them; when it gets back
// to an earlier one, those that lie directly in front of it.
#include "hit_rates/issued_source.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "code_order.h"

namespace kerncast::hit_rates {
namespace {

using machine::MachineOp;
using tasklist::AccessPattern;
using tasklist::CtaTrace;
using tasklist::PlacedTrace;
using tasklist::TaskId;
using tasklist::TracedAccess;

// No address of a launch is as large.
constexpr std::uint64_t spill_base = std::uint64_t{0xE} << 60;

struct Spill {
  const CodePiece* piece = nullptr;
  CodePlace place;
  TracedAccess access;
};

// Accesses of traces that are kept in their order, besides those of the last one: neighbours share traces.
constexpr std::size_t most_kept = 1U << 18;

class IssuedSource final : public tasklist::AccessSource {
public:
  IssuedSource(std::unique_ptr<tasklist::AccessSource> inner, const tasklist::Tasklist& list,
               const machine::MachineProgram& program, bool in_turns)
      : inner_(std::move(inner)), list_(list), order_(list, program), in_turns_(in_turns),
        block_of_(list.tasks.size()), front_(list.local_bytes_per_thread) {
    for (tasklist::BlockId b = 0; b < list.blocks.size(); ++b)
      for (std::uint32_t i = 0; i < list.blocks[b].task_count; ++i)
        block_of_[list.blocks[b].first_task + i] = b;
    if (program.spill_bytes > 0)
      find_spills(program);
    first_of_inner_ = static_cast<std::uint32_t>(patterns_.size());
    note_patterns();
  }

  PlacedTrace cta(std::uint64_t number) override {
    PlacedTrace placed = inner_->cta(number);
    note_patterns();
    if (placed.own_patterns && first_of_inner_ > 0) {
      auto own = std::make_shared<std::vector<AccessPattern>>(patterns_.begin(),
                                                              patterns_.begin() + first_of_inner_);
      own->insert(own->end(), placed.own_patterns->begin(), placed.own_patterns->end());
      placed.own_patterns = std::move(own);
    }
    placed.trace = issued(std::move(placed.trace));
    return placed;
  }
  const std::vector<AccessPattern>& patterns() const override { return patterns_; }
  std::uint64_t executed() const override { return inner_->executed(); }

private:
  struct Issued {
    std::shared_ptr<const CtaTrace> plain, issued;
  };
  // An access of a piece of code.
  struct Entry {
    CodePlace place;
    TracedAccess access;
  };
  // Where a warp is.
  struct Warp {
    const CodePiece* piece = nullptr; // of its last access
    CodePlace last{.at = 0};
  };

  void find_spills(const machine::MachineProgram& program) {
    for (const SpillPlace& spill : order_.spills()) {
      const MachineOp& op = program.ops[spill.place.at];
      spills_.push_back({&order_.of(spill.block), spill.place, access_of(op, task_of(op, list_))});
    }
    before_.assign(list_.tasks.size(), 0);
    std::vector<bool> is_known(list_.tasks.size(), false);
    Position last_access = 0;
    for (Position at = 0; at < program.ops_of_tasks().size(); ++at)
      if (const MachineOp& op = program.ops[at]; is_traced(op) && !op.is_spill && !is_known[op.task]) {
        is_known[op.task] = true;
        before_[op.task] = std::exchange(last_access, at);
      }
  }

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

  std::shared_ptr<const CtaTrace> issued(std::shared_ptr<const CtaTrace> plain) {
    if (const auto known = kept_.find(plain.get()); known != kept_.end())
      return known->second.issued;
    if (kept_accesses_ > most_kept) {
      kept_.clear();
      kept_accesses_ = 0;
    }
    kept_accesses_ += plain->accesses.size();
    auto issued = std::make_shared<const CtaTrace>(in_order(*plain));
    const CtaTrace* const key = plain.get();
    kept_.emplace(key, Issued{std::move(plain), issued});
    return issued;
  }

  CtaTrace in_order(const CtaTrace& plain) {
    CtaTrace trace{.accesses = {}, .warp_begin = {}, .truncated = plain.truncated};
    trace.accesses.reserve(plain.accesses.size());
    for (std::size_t w = 0; w + 1 < plain.warp_begin.size(); ++w) {
      trace.warp_begin.push_back(static_cast<std::uint32_t>(trace.accesses.size()));
      const std::span left(plain.accesses.data() + plain.warp_begin[w],
                           plain.warp_begin[w + 1] - plain.warp_begin[w]);
      add_warp(left, plain.truncated, trace.accesses);
    }
    trace.warp_begin.push_back(static_cast<std::uint32_t>(trace.accesses.size()));
    return trace;
  }

  void add_warp(std::span<const TracedAccess> left, bool truncated, std::vector<TracedAccess>& accesses) {
    Warp warp;
    while (!left.empty()) {
      const CodePiece& piece = take_piece(left);
      for (const Entry& entry : entries_)
        add(piece, entry, warp, accesses);
    }
    if (!truncated)
      add_spills(warp.last.at, nowhere, warp, accesses);
  }

  // What a warp does next, into entries_: a visit of a block, or of as many trips of a loop as go together.
  const CodePiece& take_piece(std::span<const TracedAccess>& left) {
    entries_.clear();
    const tasklist::BlockId block = block_of_[left.front().task];
    const CodePiece* const group = spills_.empty() ? order_.group_of(block) : nullptr;
    std::size_t count = 0;
    std::uint32_t trips = 0;
    while (group != nullptr && trips < group->trips && count < left.size() &&
           block_of_[left[count].task] == block) {
      count += visit_of(left.subspan(count));
      ++trips;
    }
    const bool together = group != nullptr && trips == group->trips;
    if (!together)
      count = visit_of(left);
    const CodePiece& piece = together ? *group : order_.of(block);
    std::uint32_t trip = 0;
    for (std::size_t i = 0; i < count; ++i) {
      trip += i > 0 && left[i].task <= left[i - 1].task ? 1 : 0;
      entries_.push_back({piece.places[trip * piece.accesses + list_.tasks[left[i].task].access], left[i]});
    }
    std::ranges::stable_sort(entries_, {}, [](const Entry& entry) { return entry.place.at; });
    left = left.subspan(count);
    return piece;
  }

  // Accesses of the visit that they begin with.
  std::size_t visit_of(std::span<const TracedAccess> accesses) const {
    const tasklist::BlockId block = block_of_[accesses.front().task];
    std::size_t count = 1;
    while (count < accesses.size() && block_of_[accesses[count].task] == block &&
           accesses[count].task > accesses[count - 1].task)
      ++count;
    return count;
  }

  void add(const CodePiece& piece, const Entry& entry, Warp& warp,
           std::vector<TracedAccess>& accesses) const {
    TracedAccess access = entry.access;
    access.pattern += first_of_inner_;
    if (entry.place.at != nowhere) {
      if (!spills_.empty())
        add_spills(entry.place.at > warp.last.at ? warp.last.at : before_[access.task], entry.place.at, warp,
                   accesses);
      access.follows = in_turns_ && follows(piece, entry.place, warp);
      warp = {&piece, entry.place};
    }
    accesses.push_back(access);
  }

  static bool follows(const CodePiece& piece, const CodePlace& place, const Warp& warp) {
    if (warp.piece == nullptr)
      return false;
    if (warp.piece == &piece && place.at > warp.last.at)
      return warp.last.waits == place.waits;
    return warp.last.waits == warp.piece->waits_at_end && piece.waits_at_begin == place.waits;
  }

  void add_spills(Position begin, Position end, Warp& warp, std::vector<TracedAccess>& accesses) const {
    const auto at = [](const Spill& spill) { return spill.place.at; };
    auto spill = std::ranges::lower_bound(spills_, begin, {}, at);
    for (; spill != spills_.end() && spill->place.at < end; ++spill) {
      accesses.push_back(spill->access);
      accesses.back().follows = in_turns_ && follows(*spill->piece, spill->place, warp);
      warp = {spill->piece, spill->place};
    }
  }

  std::unique_ptr<tasklist::AccessSource> inner_;
  const tasklist::Tasklist& list_;
  CodeOrder order_;
  bool in_turns_;                                     // a warp goes on until it waits
  std::vector<tasklist::BlockId> block_of_;           // by task
  std::vector<Position> before_;                      // of the last access in front of a task's, by task
  std::uint64_t front_;                               // bytes per thread in front of the spills
  std::vector<Spill> spills_;                         // in the order of the code
  std::map<std::uint16_t, std::uint32_t> pattern_of_; // of a spill, by bytes per lane
  std::vector<AccessPattern> patterns_;               // of spills, then of the launch
  std::uint32_t first_of_inner_ = 0;
  std::unordered_map<const CtaTrace*, Issued> kept_;
  std::size_t kept_accesses_ = 0;
  std::vector<Entry> entries_; // of the piece at hand
};

// Whether a warp that may go on goes on.
bool keeps_warps(configs::SchedulerPolicy scheduler) {
  return scheduler == configs::SchedulerPolicy::gto || scheduler == configs::SchedulerPolicy::oldest;
}

} // namespace

std::unique_ptr<tasklist::AccessSource> as_issued(std::unique_ptr<tasklist::AccessSource> source,
                                                  const tasklist::Tasklist& list,
                                                  const machine::MachineProgram& program,
                                                  configs::SchedulerPolicy scheduler) {
  if (source == nullptr)
    return nullptr;
  return std::make_unique<IssuedSource>(std::move(source), list, program, keeps_warps(scheduler));
}

std::string issue_order_key(const tasklist::Tasklist& list, const machine::MachineProgram& program) {
  const CodeOrder order(list, program);
  std::string key;
  for (const CodePiece& piece : order.pieces()) {
    key += fmt::format(" {}:{}-{}", piece.trips, piece.waits_at_begin, piece.waits_at_end);
    for (const CodePlace& place : piece.places)
      if (place.at != nowhere)
        key += fmt::format(",{}@{}", place.waits, place.at);
  }
  return key;
}

} // namespace kerncast::hit_rates
