#include "spills.h"

#include <algorithm>

#include "configs/isa.h"
#include "tasklist/operation.h"

namespace kerncast::machine {
namespace {

using tasklist::no_id;
using tasklist::TaskKind;

constexpr double dearer_in_loop = 8; // trips that nobody knows
constexpr std::uint32_t shared_reload =
    16; // operations behind an access that read what it left in a register

// Accesses of a register, and whether it may be spilled.
struct Candidate {
  double cost = 0;
  std::uint32_t writes = 0;
  bool can_be_spilled = true;
  bool is_spilled = false;
};

class Chooser {
public:
  Chooser(const Draft& draft, const LiveRanges& ranges, const tasklist::Tasklist& list)
      : draft_(draft), ranges_(ranges), candidates_(draft.register_count()),
        in_use_(2 * draft.ops.size() + 1, 0) {
    count_in_use();
    note_accesses(list);
  }

  // By register: 1 if it is spilled.
  std::vector<std::uint8_t> run(SpillGoal goal) {
    if (goal.stored_bytes)
      store(*goal.stored_bytes);
    else
      reduce(goal.excess);
    std::vector<std::uint8_t> spilled;
    for (const Candidate& candidate : candidates_)
      spilled.push_back(candidate.is_spilled ? 1 : 0);
    return spilled;
  }

private:
  void reduce(std::uint32_t excess) {
    allowed_ = most_in_use() - static_cast<std::int32_t>(excess);
    while (most_in_use() > allowed_)
      if (spill_at_peak() == 0)
        return;
  }

  void store(std::uint32_t bytes) {
    for (std::uint32_t stored = 0; stored < bytes;) {
      allowed_ = most_in_use() - 1;
      const std::uint32_t more = spill_at_peak();
      if (more == 0)
        return;
      stored += more;
    }
  }

  std::int32_t most_in_use() const { return *std::ranges::max_element(in_use_); }

  // The bytes that are stored for it; 0 if no value can be spilled there.
  std::uint32_t spill_at_peak() {
    const VirtualRegister r =
        best_at(static_cast<std::uint32_t>(std::ranges::max_element(in_use_) - in_use_.begin()));
    if (r == no_id)
      return 0;
    free_registers(r);
    return candidates_[r].writes * draft_.widths[r] * bytes_per_register;
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

  void note_accesses(const tasklist::Tasklist& list) {
    std::vector<double> weight(draft_.blocks.size(), 1);
    for (const tasklist::Loop& loop : list.loops)
      for (const tasklist::BlockId b : loop.blocks)
        weight[b] *= dearer_in_loop;
    for (std::size_t b = 0; b < draft_.blocks.size(); ++b)
      for (const DraftOp& op : draft_.ops_of(draft_.blocks[b])) {
        for (const VirtualRegister r : draft_.reads(op))
          candidates_[r].cost += weight[b];
        for (const VirtualRegister r : draft_.writes(op)) {
          candidates_[r].cost += weight[b];
          ++candidates_[r].writes;
          candidates_[r].can_be_spilled &= !op.guarded && !op.extra;
        }
      }
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
  VirtualRegister best_at(std::uint32_t position) {
    count_places_of_too_many();
    VirtualRegister chosen = no_id;
    double most = 0;
    for (VirtualRegister r = 0; r < candidates_.size(); ++r) {
      const Candidate& candidate = candidates_[r];
      if (!candidate.can_be_spilled || candidate.is_spilled || draft_.widths[r] == 0 || !passes(r, position))
        continue;
      const double worth = places_freed(r) * draft_.widths[r] / candidate.cost;
      if (chosen == no_id || worth > most) {
        chosen = r;
        most = worth;
      }
    }
    return chosen;
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
        sum += too_many_before_[s.end - 1] - too_many_before_[s.begin + 1];
    return sum;
  }

  // Between the ends of its segments; what its reloads take is not followed.
  void free_registers(VirtualRegister r) {
    candidates_[r].is_spilled = true;
    for (const Segment& s : ranges_.of(r))
      for (std::uint32_t position = s.begin + 1; position + 1 < s.end; ++position)
        in_use_[position] -= draft_.widths[r];
  }

  const Draft& draft_;
  const LiveRanges& ranges_;
  std::vector<Candidate> candidates_; // by register
  std::vector<std::int32_t> in_use_;  // by position
  std::int32_t allowed_ = 0;
  std::vector<std::uint32_t> too_many_before_; // by position: places before it with more in use than allowed
};

class Rewriter {
public:
  Rewriter(Draft& draft, const tasklist::Tasklist& list, const configs::Gpu& gpu,
           std::span<const std::uint8_t> spilled)
      : draft_(draft), list_(list), gpu_(gpu), spilled_(spilled), reloaded_(spilled.size()) {}

  Spills run() {
    for (VirtualRegister r = 0; r < spilled_.size(); ++r) {
      place_of_.push_back(result_.bytes);
      result_.bytes += spilled_[r] != 0 ? draft_.widths[r] * bytes_per_register : 0;
    }
    std::vector<DraftOp> old = std::move(draft_.ops);
    draft_.ops.clear();
    for (tasklist::BlockId b = 0; b < draft_.blocks.size(); ++b) {
      MachineBlock& block = draft_.blocks[b];
      block_begin_ = static_cast<std::uint32_t>(draft_.ops.size());
      next_access_ = count_accesses(b);
      for (std::uint32_t i = 0; i < block.op_count; ++i)
        rewrite(old[block.first_op + i]);
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
    return static_cast<std::uint16_t>(std::ranges::count_if(
        list_.tasks_of(list_.blocks[b]), [](const auto& task) { return tasklist::is_memory(task.kind); }));
  }

  void rewrite(DraftOp op) {
    reload_reads(op);
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
  std::span<const std::uint8_t> spilled_; // by register of the draft as it was
  std::vector<Reload> reloaded_;          // by register of the draft as it was
  std::vector<std::uint32_t> place_of_;   // by register of the draft as it was; bytes per thread
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
  const std::vector<std::uint8_t> spilled = Chooser(draft, ranges, list).run(goal);
  return Rewriter(draft, list, gpu, spilled).run();
}

} // namespace kerncast::machine
