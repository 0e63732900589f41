#include "spills.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "configs/isa.h"
#include "tasklist/operation.h"

namespace kerncast::machine {
namespace {

using tasklist::no_id;
using tasklist::TaskKind;

constexpr double dearer_in_loop = 8; // trips that nobody knows
constexpr std::uint32_t shared_reload =
    16; // operations behind an access that read what it left in a register

// Registers are looked for by so many positions at a time.
constexpr std::uint32_t positions_near = 256;

// Accesses of a register, and whether it may be spilled.
struct Candidate {
  double cost = 0;
  std::uint32_t writes = 0;
  bool can_be_spilled = true;
  bool is_spilled = false; // everywhere
  bool has_gaps = false;   // spilled between some of its accesses
};

// An operation's reads or writes of a register; one that does both has two.
struct RegisterAccess {
  std::uint32_t position = 0; // as LiveRanges'
  tasklist::BlockId block = 0;
  std::uint32_t writes_before = 0; // of the register, in this block
  bool is_left = false;            // the register gives up its value from here to the next access

  bool is_write() const { return position % 2 != 0; }
  std::uint32_t op() const { return position / 2; }
  std::uint32_t writes() const { return writes_before + (is_write() ? 1 : 0); } // with it
};

// A register gives up its value at operation `op`, or gets it back in front of it.
struct Move {
  std::uint32_t op = 0;
  VirtualRegister r = 0;
  friend auto operator<=>(const Move&, const Move&) = default;
};

struct Choice {
  std::uint32_t excess_left = 0;
  std::vector<std::uint8_t> spilled; // by register: 1 if it is spilled everywhere
  std::vector<Move> evictions;       // ascending
  std::vector<Move> reloads;         // ascending
};

class Chooser {
public:
  Chooser(const Draft& draft, const LiveRanges& ranges, const tasklist::Tasklist& list,
          std::uint32_t reload_distance)
      : reload_distance_(reload_distance), draft_(draft), ranges_(ranges),
        candidates_(draft.register_count()), accesses_(draft.register_count()),
        in_use_(2 * draft.ops.size() + 1, 0) {
    count_in_use();
    list_live_near();
    note_accesses(list);
  }

  Choice run(SpillGoal goal) {
    if (goal.stored_bytes)
      store(*goal.stored_bytes);
    else
      reduce(goal.excess);
    for (const Candidate& candidate : candidates_)
      choice_.spilled.push_back(candidate.is_spilled ? 1 : 0);
    std::ranges::sort(choice_.evictions);
    std::ranges::sort(choice_.reloads);
    return std::move(choice_);
  }

private:
  // A register at a place where it passes: from one of its accesses to the next, or everywhere.
  struct Option {
    VirtualRegister r = no_id;
    RegisterAccess* first = nullptr; // null: everywhere
    std::uint32_t reload = 0;        // operation in front of which the value is loaded again
    double worth = 0;
  };

  void reduce(std::uint32_t excess) {
    allowed_ = most_in_use() - static_cast<std::int32_t>(excess);
    while (most_in_use() > allowed_)
      if (!spill_at_peak()) {
        choice_.excess_left = static_cast<std::uint32_t>(most_in_use() - allowed_);
        return;
      }
  }

  void store(std::uint32_t bytes) {
    while (stored_bytes_ < bytes) {
      allowed_ = most_in_use() - 1;
      if (!spill_at_peak())
        return;
    }
  }

  std::int32_t most_in_use() const { return *std::ranges::max_element(in_use_); }

  // False if no value can be spilled there.
  bool spill_at_peak() {
    const Option best =
        best_at(static_cast<std::uint32_t>(std::ranges::max_element(in_use_) - in_use_.begin()));
    if (best.r == no_id)
      return false;
    best.first != nullptr ? free_gap(best) : free_register(best.r);
    return true;
  }

  void count_in_use() {
    for (VirtualRegister r = 0; r < draft_.register_count(); ++r)
      for (const Segment& s : ranges_.of(r)) {
        in_use_[s.begin] += draft_.widths[r];
        in_use_[s.end] -= draft_.widths[r];
      }
    for (std::size_t i = 1; i < in_use_.size(); ++i)
      in_use_[i] += in_use_[i - 1];
  }

  void list_live_near() {
    near_begin_.assign(in_use_.size() / positions_near + 2, 0);
    each_live_near([&](VirtualRegister, std::uint32_t near) { ++near_begin_[near + 1]; });
    std::partial_sum(near_begin_.begin(), near_begin_.end(), near_begin_.begin());
    live_near_.resize(near_begin_.back());
    std::vector<std::uint32_t> end(near_begin_.begin(), near_begin_.end() - 1);
    each_live_near([&](VirtualRegister r, std::uint32_t near) { live_near_[end[near]++] = r; });
  }

  // Ascending by register, and by position for each.
  template <class F> void each_live_near(const F& note) const {
    for (VirtualRegister r = 0; r < draft_.register_count(); ++r) {
      std::uint32_t next = draft_.widths[r] > 0 ? 0 : no_id;
      for (const Segment& s : ranges_.of(r))
        for (next = std::max(next, s.begin / positions_near); next * std::uint64_t{positions_near} < s.end;
             ++next)
          note(r, next);
    }
  }

  std::span<const VirtualRegister> live_near(std::uint32_t position) const {
    const std::uint32_t* begin = &near_begin_[position / positions_near];
    return std::span(live_near_).subspan(begin[0], begin[1] - begin[0]);
  }

  void note_accesses(const tasklist::Tasklist& list) {
    weight_.assign(draft_.blocks.size(), 1);
    for (const tasklist::Loop& loop : list.loops)
      for (const tasklist::BlockId b : loop.blocks)
        weight_[b] *= dearer_in_loop;
    for (tasklist::BlockId b = 0; b < draft_.blocks.size(); ++b) {
      const MachineBlock& block = draft_.blocks[b];
      for (std::uint32_t i = block.first_op; i < block.first_op + block.op_count; ++i)
        note_accesses_of(i, b);
    }
  }

  void note_accesses_of(std::uint32_t i, tasklist::BlockId b) {
    const DraftOp& op = draft_.ops[i];
    for (const VirtualRegister r : draft_.reads(op)) {
      candidates_[r].cost += weight_[b];
      add_access(r, read_position(i), b);
    }
    for (const VirtualRegister r : draft_.writes(op)) {
      candidates_[r].cost += weight_[b];
      ++candidates_[r].writes;
      candidates_[r].can_be_spilled &= !op.guarded && !op.extra;
      add_access(r, read_position(i) + 1, b);
    }
  }

  // Operations that read a register twice read it once.
  void add_access(VirtualRegister r, std::uint32_t position, tasklist::BlockId b) {
    std::vector<RegisterAccess>& accesses = accesses_[r];
    const bool goes_on = !accesses.empty() && accesses.back().block == b;
    if (goes_on && accesses.back().position == position)
      return;
    const std::uint32_t before =
        goes_on ? accesses.back().writes_before + (accesses.back().is_write() ? 1 : 0) : 0;
    accesses.push_back({position, b, before});
  }

  // Whether the register need not hold its value at the position once that is spilled: behind the access that
  // begins the segment around it and in front of the one that ends it.
  bool passes(VirtualRegister r, std::uint32_t position) const {
    const auto segments = ranges_.of(r);
    const auto after = std::ranges::upper_bound(segments, position, {}, &Segment::begin);
    return after != segments.begin() && std::prev(after)->begin < position &&
           position + 1 < std::prev(after)->end;
  }

  // That which frees registers at the most places of too many, for what its accesses cost.
  Option best_at(std::uint32_t position) {
    count_places_of_too_many();
    enough_from_ = position + 1;
    while (enough_from_ < in_use_.size() && in_use_[enough_from_] > allowed_)
      ++enough_from_;
    Option best;
    for (const VirtualRegister r : live_near(position)) {
      const Candidate& candidate = candidates_[r];
      if (!candidate.can_be_spilled || candidate.is_spilled || !passes(r, position))
        continue;
      const Option option = option_at(r, position);
      if (option.worth > best.worth)
        best = option;
    }
    return best;
  }

  // From the access in front of the position to the next one, if no block ends between them.
  Option option_at(VirtualRegister r, std::uint32_t position) {
    std::vector<RegisterAccess>& accesses = accesses_[r];
    const auto next = std::ranges::lower_bound(accesses, position, {}, &RegisterAccess::position);
    if (next != accesses.begin() && next != accesses.end() && !next->is_write() &&
        std::prev(next)->block == next->block)
      return gap_option(r, *std::prev(next), *next, position);
    if (candidates_[r].has_gaps)
      return {};
    return {.r = r, .worth = places_freed(r) * draft_.widths[r] / candidates_[r].cost};
  }

  // The value is loaded again so early that it is there when it is read, but not while there are too many.
  Option gap_option(VirtualRegister r, RegisterAccess& first, const RegisterAccess& next,
                    std::uint32_t position) {
    if (first.is_left || position >= next.position)
      return {};
    const std::uint32_t early = next.op() - std::min(next.op(), reload_distance_);
    const std::uint32_t end = std::min(enough_from_, next.position);
    const std::uint32_t reload = std::max(early, (end + 1) / 2);
    // ptxas stores as often as it loads: a second gap of a value that is stored already counts as much.
    const double cost = 2 * weight_[first.block];
    return {.r = r,
            .first = &first,
            .reload = reload,
            .worth = too_many_from(first.position + 1, read_position(reload)) * draft_.widths[r] / cost};
  }

  void count_places_of_too_many() {
    too_many_before_.assign(1, 0);
    for (const std::int32_t in_use : in_use_)
      too_many_before_.push_back(too_many_before_.back() + (in_use > allowed_ ? 1 : 0));
  }

  double places_freed(VirtualRegister r) const {
    std::uint32_t sum = 0;
    for (const Segment& s : ranges_.of(r))
      if (s.end - s.begin > 2)
        sum += too_many_from(s.begin + 1, s.end - 1);
    return sum;
  }

  std::uint32_t too_many_from(std::uint32_t first, std::uint32_t end) const {
    return too_many_before_[end] - too_many_before_[first];
  }

  // Between the ends of its segments; what its reloads take is not followed.
  void free_register(VirtualRegister r) {
    candidates_[r].is_spilled = true;
    stored_bytes_ += candidates_[r].writes * draft_.widths[r] * bytes_per_register;
    for (const Segment& s : ranges_.of(r))
      free_from(r, s.begin + 1, s.end - 1);
  }

  void free_gap(const Option& option) {
    RegisterAccess& first = *option.first;
    candidates_[option.r].has_gaps = true;
    first.is_left = true;
    choice_.evictions.push_back({first.op(), option.r});
    choice_.reloads.push_back({option.reload, option.r});
    if (stored_.insert({option.r, first.block, first.writes()}).second)
      stored_bytes_ += draft_.widths[option.r] * bytes_per_register;
    free_from(option.r, first.position + 1, read_position(option.reload));
  }

  void free_from(VirtualRegister r, std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t position = first; position < end; ++position)
      in_use_[position] -= draft_.widths[r];
  }

  std::uint32_t reload_distance_; // operations
  const Draft& draft_;
  const LiveRanges& ranges_;
  std::vector<Candidate> candidates_;                 // by register
  std::vector<std::vector<RegisterAccess>> accesses_; // by register
  std::vector<double> weight_;                        // by block
  std::vector<std::int32_t> in_use_;                  // by position
  std::vector<std::uint32_t> near_begin_;             // in live_near_, by position / positions_near
  std::vector<VirtualRegister> live_near_;
  std::int32_t allowed_ = 0;
  std::set<std::tuple<VirtualRegister, tasklist::BlockId, std::uint32_t>> stored_; // and writes in the block
  std::uint32_t stored_bytes_ = 0;
  Choice choice_;
  std::vector<std::uint32_t> too_many_before_; // by position: places before it with more in use than allowed
  std::uint32_t enough_from_ = 0; // the first place behind the one looked at with no more than allowed
};

class Rewriter {
public:
  Rewriter(Draft& draft, const tasklist::Tasklist& list, const configs::Gpu& gpu, const Choice& choice)
      : draft_(draft), list_(list), gpu_(gpu), spilled_(choice.spilled), evictions_(choice.evictions),
        reloads_(choice.reloads), reloaded_(spilled_.size()), stored_in_(spilled_.size(), no_id) {}

  Spills run() {
    std::vector<bool> has_gaps(spilled_.size(), false);
    for (const Move& eviction : evictions_)
      has_gaps[eviction.r] = true;
    for (VirtualRegister r = 0; r < spilled_.size(); ++r) {
      place_of_.push_back(result_.bytes);
      result_.bytes += spilled_[r] != 0 || has_gaps[r] ? draft_.widths[r] * bytes_per_register : 0;
    }
    std::vector<DraftOp> old = std::move(draft_.ops);
    draft_.ops.clear();
    for (tasklist::BlockId b = 0; b < draft_.blocks.size(); ++b) {
      MachineBlock& block = draft_.blocks[b];
      block_begin_ = static_cast<std::uint32_t>(draft_.ops.size());
      next_access_ = count_accesses(b);
      block_ = b;
      for (std::uint32_t i = block.first_op; i < block.first_op + block.op_count; ++i) {
        reload(i, old[i].op.task);
        store_what_is_read(i, old[i]);
        rewrite(old[i]);
        store_what_is_written(i, old[i].op.task);
      }
      block = {block_begin_, static_cast<std::uint32_t>(draft_.ops.size()) - block_begin_};
    }
    return result_;
  }

private:
  struct Reload {
    VirtualRegister in = no_id; // the register that holds the value
    std::uint32_t at = 0;       // operation that left it there
  };

  std::uint16_t count_accesses(tasklist::BlockId b) const {
    const auto group = std::ranges::find(draft_.trip_groups, b, &TripGroup::group);
    if (group != draft_.trip_groups.end())
      return static_cast<std::uint16_t>(group->trips * group->accesses);
    std::uint32_t accesses = tasklist::accesses_of(list_, b);
    for (const JoinedBlock& joined : draft_.joined_blocks)
      accesses += joined.head == b ? joined.accesses : 0;
    return static_cast<std::uint16_t>(accesses);
  }

  // What it writes is no longer in memory.
  void rewrite(DraftOp op) {
    reload_reads(op);
    for (const VirtualRegister r : draft_.writes(op))
      if (r < stored_in_.size())
        stored_in_[r] = no_id;
    std::vector<std::pair<VirtualRegister, VirtualRegister>> stored; // whose value, and what holds it
    for (std::uint32_t i = 0; i < op.writes.count; ++i) {
      VirtualRegister& r = draft_.pool[op.writes.begin + i];
      if (r < spilled_.size() && spilled_[r] != 0) {
        const VirtualRegister home = r;
        r = fresh_like(home);
        reloaded_[home] = {r, static_cast<std::uint32_t>(draft_.ops.size())};
        stored.emplace_back(home, r);
      }
    }
    draft_.ops.push_back(op);
    for (const auto& [home, r] : stored)
      add_access(op.op.task, TaskKind::store, home, r);
  }

  // In front of the operation that reads it last, if that does not write it.
  void store_what_is_read(std::uint32_t i, const DraftOp& op) {
    for (const Move& eviction : evictions_of(i))
      if (std::ranges::find(draft_.writes(op), eviction.r) == draft_.writes(op).end())
        store(eviction.r, op.op.task);
  }

  void store_what_is_written(std::uint32_t i, std::uint32_t task) {
    for (const Move& eviction : evictions_of(i))
      store(eviction.r, task);
    evictions_ = evictions_.subspan(evictions_of(i).size());
  }

  // Those that are still to come begin with them.
  std::span<const Move> evictions_of(std::uint32_t i) const {
    const auto end = std::ranges::find_if(evictions_, [i](const Move& move) { return move.op != i; });
    return evictions_.first(static_cast<std::size_t>(end - evictions_.begin()));
  }

  void store(VirtualRegister r, std::uint32_t task) {
    if (stored_in_[r] != block_)
      add_access(task, TaskKind::store, r, r);
    stored_in_[r] = block_;
  }

  void reload(std::uint32_t i, std::uint32_t task) {
    for (; !reloads_.empty() && reloads_.front().op == i; reloads_ = reloads_.subspan(1))
      add_access(task, TaskKind::load, reloads_.front().r, reloads_.front().r);
  }

  // Operations may share their reads' place in the pool: those that change get their own.
  void reload_reads(DraftOp& op) {
    const auto is_spilled = [&](VirtualRegister r) { return r < spilled_.size() && spilled_[r] != 0; };
    if (std::ranges::none_of(draft_.reads(op), is_spilled))
      return;
    std::vector<VirtualRegister> reads(draft_.reads(op).begin(), draft_.reads(op).end());
    for (VirtualRegister& r : reads)
      if (is_spilled(r))
        r = loaded(r, op.op.task);
    const auto own = static_cast<std::uint32_t>(draft_.pool.size());
    draft_.pool.insert(draft_.pool.end(), reads.begin(), reads.end());
    op.reads = {own, static_cast<std::uint32_t>(reads.size())};
  }

  VirtualRegister loaded(VirtualRegister home, std::uint32_t task) {
    Reload& known = reloaded_[home];
    const auto now = static_cast<std::uint32_t>(draft_.ops.size());
    if (known.in != no_id && known.at >= block_begin_ && now - known.at <= shared_reload)
      return known.in;
    const VirtualRegister in = fresh_like(home);
    add_access(task, TaskKind::load, home, in);
    known = {in, now};
    return in;
  }

  VirtualRegister fresh_like(VirtualRegister r) {
    draft_.widths.push_back(draft_.widths[r]);
    return draft_.register_count() - 1;
  }

  void add_access(std::uint32_t task, TaskKind kind, VirtualRegister home, VirtualRegister r) {
    const bool loads = kind == TaskKind::load;
    const configs::MachineOpSpec& spec =
        gpu_.isa->find(loads ? "ld.local.b32" : "st.local.b32")->machine.back();
    DraftOp access;
    access.extra = true;
    access.op.latency = spec.latency == gpu_.units[spec.unit].latency ? 0 : spec.latency;
    access.op.issue_interval = spec.issue_interval;
    access.op.unit = static_cast<std::uint16_t>(spec.unit);
    access.op.kind = OpKind::memory;
    access.op.task_kind = kind;
    access.op.space = tasklist::Space::local;
    access.op.access_bytes = static_cast<std::uint16_t>(draft_.widths[r] * bytes_per_register);
    access.op.access = next_access_++;
    access.op.is_spill = true;
    access.op.frame_offset = place_of_[home];
    access.op.task = task;
    (loads ? access.writes : access.reads) = {static_cast<std::uint32_t>(draft_.pool.size()), 1};
    draft_.pool.push_back(r);
    draft_.ops.push_back(access);
    ++(loads ? result_.loads : result_.stores);
    result_.stored_bytes += loads ? 0U : access.op.access_bytes;
  }

  Draft& draft_;
  const tasklist::Tasklist& list_;
  const configs::Gpu& gpu_;
  std::span<const std::uint8_t> spilled_;     // by register of the draft as it was
  std::span<const Move> evictions_, reloads_; // that are still to come
  std::vector<Reload> reloaded_;              // by register of the draft as it was
  std::vector<tasklist::BlockId> stored_in_;  // likewise: block in which memory has what it holds
  std::vector<std::uint32_t> place_of_;       // by register of the draft as it was; bytes per thread
  tasklist::BlockId block_ = 0;
  std::uint32_t block_begin_ = 0;
  std::uint16_t next_access_ = 0;
  Spills result_;
};

bool reaches_local_memory(const configs::Gpu& gpu) {
  const auto has = [&](std::string_view operation) {
    const configs::IsaRow* row = gpu.isa ? gpu.isa->find(operation) : nullptr;
    return row != nullptr && !row->machine.empty();
  };
  return has("ld.local.b32") && has("st.local.b32");
}

} // namespace

Spills spill(Draft& draft, const LiveRanges& ranges, const tasklist::Tasklist& list, const configs::Gpu& gpu,
             SpillGoal goal) {
  if (goal.stored_bytes.value_or(goal.excess) == 0 || draft.ops.empty() || !reaches_local_memory(gpu))
    return {};
  const auto reload_distance = static_cast<std::uint32_t>(gpu.l1.latency);
  const Choice choice = Chooser(draft, ranges, list, reload_distance).run(goal);
  Spills spills = Rewriter(draft, list, gpu, choice).run();
  spills.excess_left = choice.excess_left;
  return spills;
}

} // namespace kerncast::machine
