// The plain reference for the SM engine: looks at every warp in every cycle. Slow, short, and written
// without the engine's data structures, so that both are unlikely to be wrong in the same way.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <vector>

#include "engine/sm_workload.h"

namespace kerncast::engine::reference {

// The engine counts time in steps of 2^-15 cycles and rounds every duration to them; sums of such numbers are
// exact in a double.
inline double stepped(double cycles) { return std::floor(cycles * 32768 + 0.5) / 32768; }

// A server of finite rate, or none at rate 0.
struct Server {
  double rate = 0, free = 0;
  double admit(double bytes, double now) {
    if (rate <= 0 || bytes <= 0)
      return now;
    const double begin = std::max(now, free);
    free = begin + stepped(bytes / rate);
    return begin;
  }
};

struct Memory {
  std::vector<double> ports;
  Server link, l2, dram;
  double limit = 0, in_flight = 0;
  std::deque<std::pair<double, double>> misses; // done, bytes

  std::vector<std::uint64_t> served; // by request

  // The n-th request of a number goes where the fraction of n / golden ratio falls.
  memory_model::Request level_of(const memory_model::Request& r, std::uint32_t number) {
    if (r.levels[0].share + r.levels[1].share + r.levels[2].share == 0)
      return r;
    served.resize(std::max<std::size_t>(served.size(), number + 1));
    const std::uint64_t point = (++served[number] + number + 1) * 0x9e3779b97f4a7c15ULL;
    const double at = static_cast<double>(point) / 18446744073709551616.0;
    std::size_t level = at <= r.levels[0].share ? 0 : at <= r.levels[0].share + r.levels[1].share ? 1 : 2;
    memory_model::Request chosen = r;
    chosen.latency = r.levels[level].latency;
    chosen.l2_bytes = r.levels[level].l2_bytes;
    chosen.dram_bytes = r.levels[level].dram_bytes;
    return chosen;
  }

  double serve(const memory_model::Request& r, double start, double hold, bool returns) {
    auto port = std::min_element(ports.begin(), ports.end());
    const double begin = std::max(start, *port);
    *port = begin + r.wavefronts * hold;
    double now = begin + (r.wavefronts - 1) * hold;
    if (r.l2_bytes <= 0)
      return now + stepped(r.latency);
    while (returns && !misses.empty()) {
      const bool full = limit > 0 && in_flight + r.l2_bytes > limit;
      if (!full && misses.front().first > now)
        break;
      if (full)
        now = std::max(now, misses.front().first);
      in_flight -= misses.front().second;
      misses.pop_front();
    }
    const double a = link.admit(r.l2_bytes, now), b = l2.admit(r.l2_bytes, now),
                 c = dram.admit(r.dram_bytes, now);
    const double done = std::max({a, b, c}) + stepped(r.latency);
    if (returns && limit > 0) {
      misses.push_back({done, r.l2_bytes});
      in_flight += r.l2_bytes;
    }
    return done;
  }
};

// The code lines that the instruction cache holds, the least recently used one first.
struct CodeLines {
  std::deque<std::pair<std::uint32_t, double>> held; // line, when it is there
  double fetch(std::uint32_t line, double now, const SmConfig& config, Memory& memory) {
    const auto same = [&](const auto& one) { return one.first == line; };
    auto found = std::find_if(held.begin(), held.end(), same);
    std::pair<std::uint32_t, double> one{line, 0.0};
    if (found != held.end()) {
      one = *found;
      held.erase(found);
    } else {
      if (held.size() == config.instruction_cache_lines)
        held.pop_front();
      const double link = memory.link.admit(128, now), l2 = memory.l2.admit(128, now);
      one.second = std::max(link, l2) + stepped(config.instruction_miss_latency);
    }
    held.push_back(one);
    return one.second;
  }
};

struct Barrier {
  std::uint64_t arrived = 0, expected = 0, announced = 0, delivered = 0, phases = 0;
  double last = 0, ended = 0;
};

struct Warp {
  bool alive = false, at_barrier = false, only_waits = false;
  std::size_t next = 0; // in trace
  std::uint32_t path = 0, cta = 0;
  std::uint64_t age = 0;
  double earliest = 0, completed = 0, memory_completed = 0;
  std::vector<double> board, board_elsewhere; // by slot: for readers on the writer's unit, on others
  std::vector<std::uint32_t> writer;          // by slot: the unit
  std::uint32_t waits_at = 0, waiting_op = 0;
  double waits_since = 0;
  std::vector<std::uint64_t> waits_done; // by barrier
  int announced_at = -1;
  std::vector<std::vector<double>> open, closed; // by kind of group: ends in the open one, of the others
  std::vector<double> loads;                     // ends, in order of issue
  std::uint32_t line = UINT32_MAX;               // of code, that it has
  double fetched = 0;
};

// One executed operation of a path, loops unrolled.
struct Traced {
  std::uint32_t op = 0, requests = 0;
};

class Sm {
public:
  explicit Sm(const SmWorkload& w) : w_(w), p_(*w.program) {
    per_cta_ = static_cast<std::uint32_t>(w.kinds[0].warp_paths.size());
    barriers_.resize(w.resident_ctas);
    warps_.resize(std::size_t{per_cta_} * w.resident_ctas);
    ends_.assign(w.resident_ctas, -1);
    live_.assign(w.resident_ctas, 0);
    last_.assign(w.config.sub_cores, 63);
    next_slot_.assign(w.config.sub_cores, 0);
    for (const SmUnit& unit : w.config.units)
      units_.push_back(std::vector<std::vector<double>>(copies(unit), std::vector<double>(unit.count, 0.0)));
    memory_.ports.assign(w.config.memory_ports, 0.0);
    memory_.link.rate = w.config.link_bytes_per_clock;
    memory_.l2.rate = w.config.l2_bytes_per_clock;
    memory_.dram.rate = w.config.dram_bytes_per_clock;
    memory_.limit = w.config.in_flight_bytes;
    for (const CtaRun& run : w.ctas)
      pending_.insert(pending_.end(), run.count, run.kind);
    for (std::uint32_t path = 0; path < p_.path_start.size(); ++path)
      traces_.push_back(unroll(p_.path_start[path]));
  }

  double cycles() {
    for (std::uint32_t slot = 0; slot < w_.resident_ctas; ++slot)
      place(slot, 0);
    for (now_ = 0; busy(); ++now_) {
      replace_ended();
      for (std::uint32_t i = 0; i < w_.config.sub_cores; ++i)
        schedule(static_cast<std::uint32_t>((static_cast<std::uint64_t>(now_) + i) % w_.config.sub_cores));
    }
    return std::max({last_end_, memory_.link.free, memory_.l2.free, memory_.dram.free});
  }

private:
  std::uint32_t copies(const SmUnit& u) const {
    return u.scope == configs::UnitScope::sub_core ? w_.config.sub_cores : 1;
  }

  std::vector<Traced> unroll(std::uint32_t step) {
    std::vector<Traced> out;
    std::vector<std::uint64_t> done(p_.loop_depth, 0);
    while (p_.steps[step].kind != Step::Kind::finish) {
      const Step& s = p_.steps[step];
      if (s.kind == Step::Kind::run) {
        for (std::uint32_t op = s.first_op; op < s.end_op; ++op)
          out.push_back({op, s.requests});
        ++step;
      } else if (++done[s.depth] < s.count) {
        step = s.target;
      } else {
        done[s.depth] = 0;
        ++step;
      }
    }
    return out;
  }

  bool busy() const {
    const auto alive = [](const Warp& w) { return w.alive; };
    const auto ended = [](double end) { return end >= 0; };
    return std::any_of(warps_.begin(), warps_.end(), alive) || std::any_of(ends_.begin(), ends_.end(), ended);
  }

  void place(std::uint32_t slot, double at) {
    if (pending_.empty())
      return;
    const CtaKind& kind = w_.kinds[pending_.front()];
    pending_.pop_front();
    const double begin = at + stepped(w_.config.cta_launch_latency);
    live_[slot] = per_cta_;
    cta_end_[slot] = begin;
    barriers_[slot].assign(barrier_count, {});
    for (std::uint32_t i = 0; i < per_cta_; ++i) {
      Warp warp;
      warp.alive = true;
      warp.path = kind.warp_paths[i];
      warp.cta = slot;
      warp.age = age_++;
      warp.earliest = warp.completed = begin;
      warp.board.assign(p_.slot_count, 0.0);
      warp.board_elsewhere.assign(p_.slot_count, 0.0);
      warp.writer.assign(p_.slot_count, 0);
      warp.waits_done.assign(barrier_count, 0);
      warp.open.resize(async_groups + 2);
      warp.closed.resize(async_groups + 2);
      fetch(warp);
      warps_[slot * per_cta_ + i] = warp;
    }
  }

  void replace_ended() {
    while (true) {
      std::uint32_t first = w_.resident_ctas;
      for (std::uint32_t slot = 0; slot < w_.resident_ctas; ++slot)
        if (ends_[slot] >= 0 && std::floor(ends_[slot]) <= now_ &&
            (first == w_.resident_ctas || ends_[slot] < ends_[first]))
          first = slot;
      if (first == w_.resident_ctas)
        return;
      const double end = ends_[first];
      ends_[first] = -1;
      place(first, end);
    }
  }

  const SmOp& op_of(const Warp& w) const { return p_.ops[traces_[w.path][w.next].op]; }

  // The line of the warp's next instruction is asked for as soon as the one before has issued.
  void fetch(Warp& w) {
    if (w_.config.instruction_cache_lines == 0 || w.next == traces_[w.path].size())
      return;
    const std::uint32_t line = traces_[w.path][w.next].op / w_.config.instructions_per_line;
    w.fetched = line == w.line ? 0 : code_.fetch(line, w.earliest, w_.config, memory_);
    w.line = line;
  }

  static double latest(const std::vector<double>& ends) {
    return ends.empty() ? 0 : *std::max_element(ends.begin(), ends.end());
  }

  double end_of_groups(const Warp& w, AsyncKind kind, std::size_t keep) const {
    const auto k = static_cast<std::size_t>(kind);
    double end = keep == all_groups ? latest(w.open[k]) : 0;
    const std::size_t kept = keep == all_groups ? 0 : keep;
    for (std::size_t i = 0; i + kept < w.closed[k].size(); ++i)
      end = std::max(end, w.closed[k][i]);
    return end;
  }

  double operands(const Warp& w) const {
    const SmOp& op = op_of(w);
    double ready = w.fetched;
    if (op.kind == SmOpKind::fence)
      ready = std::max(ready, w.memory_completed);
    if (op.kind == SmOpKind::wait_group)
      ready = std::max(ready, end_of_groups(w, op.async, op.keep));
    const std::size_t limit = w_.config.loads_per_warp;
    if (op.kind == SmOpKind::memory && op.returns_data && limit != 0 && w.loads.size() >= limit)
      ready = std::max(ready, w.loads[w.loads.size() - limit]);
    for (std::uint32_t i = 0; i < op.source_count; ++i) {
      const std::uint16_t slot = p_.slots[op.slots + i];
      ready = std::max(ready, w.writer[slot] == op.unit ? w.board[slot] : w.board_elsewhere[slot]);
    }
    return ready;
  }

  std::vector<double>& pipelines(std::uint32_t warp, const SmOp& op) {
    auto& of_unit = units_[op.unit];
    return of_unit[of_unit.size() == 1 ? 0 : warp % w_.config.sub_cores];
  }

  bool can_issue(std::uint32_t index, bool paired) {
    const Warp& w = warps_[index];
    if (!w.alive || w.at_barrier || w.next == traces_[w.path].size())
      return false;
    const std::vector<double>& free = pipelines(index, op_of(w));
    return (paired || w.earliest < now_ + 1) && operands(w) < now_ + 1 &&
           *std::min_element(free.begin(), free.end()) < now_ + 1;
  }

  std::uint32_t pick(const std::vector<std::uint32_t>& slots, std::uint32_t sub_core) const {
    const auto has = [&](std::uint32_t s) { return std::find(slots.begin(), slots.end(), s) != slots.end(); };
    const auto age = [&](std::uint32_t s) { return warps_[s * w_.config.sub_cores + sub_core].age; };
    const auto after = [&](std::uint32_t s, std::uint32_t limit) -> std::uint32_t {
      for (std::uint32_t i = s + 1; i < limit; ++i)
        if (has(i))
          return i;
      return 64;
    };
    const std::uint32_t oldest =
        *std::min_element(slots.begin(), slots.end(), [&](auto a, auto b) { return age(a) < age(b); });
    const std::uint32_t last = last_[sub_core];
    const std::uint32_t next = after(last, 64);
    switch (w_.config.scheduler) {
    case configs::SchedulerPolicy::lrr:
      return next < 64 ? next : slots.front();
    case configs::SchedulerPolicy::gto:
      return has(last) ? last : oldest;
    case configs::SchedulerPolicy::oldest:
      return oldest;
    case configs::SchedulerPolicy::two_level: {
      const std::uint32_t group = last / 8 * 8;
      if (const std::uint32_t in_group = after(last, group + 8); in_group < 64)
        return in_group;
      for (std::uint32_t s = group; s < group + 8; ++s)
        if (has(s))
          return s;
      const std::uint32_t beyond = after(group + 7, 64);
      return beyond < 64 ? beyond : slots.front();
    }
    }
    return slots.front();
  }

  void schedule(std::uint32_t sub_core) {
    if (now_ < next_slot_[sub_core])
      return;
    for (std::uint32_t n = 0; n < w_.config.issue_width; ++n) {
      std::vector<std::uint32_t> slots;
      for (std::uint32_t i = sub_core; i < warps_.size(); i += w_.config.sub_cores)
        if (can_issue(i, false))
          slots.push_back(i / w_.config.sub_cores);
      if (slots.empty())
        return;
      next_slot_[sub_core] = now_ + w_.config.issue_interval;
      last_[sub_core] = pick(slots, sub_core);
      const std::uint32_t index = last_[sub_core] * w_.config.sub_cores + sub_core;
      const SmOp& op = op_of(warps_[index]);
      const bool waits = op.kind == SmOpKind::barrier && use_of(warps_[index]).waits;
      const double start = issue(index);
      if (w_.config.dual_issue && !waits && can_issue(index, true)) {
        warps_[index].earliest = start;
        issue(index);
      }
    }
  }

  double issue(std::uint32_t index) {
    Warp& w = warps_[index];
    const SmOp& op = op_of(w);
    std::vector<double>& free = pipelines(index, op);
    auto pipe = std::min_element(free.begin(), free.end());
    const double start = std::max({now_, w.earliest, operands(w), *pipe});
    *pipe = start + stepped(op.issue_interval);
    w.earliest = start + stepped(w_.config.warp_issue_distance);
    double done = start + stepped(op.latency), elsewhere = done;
    if (op.kind == SmOpKind::compute && op.cross_latency != 0)
      elsewhere = start + stepped(op.cross_latency);
    const bool is_barrier = op.kind == SmOpKind::barrier;
    const bool is_async =
        op.async != AsyncKind::none && (op.kind == SmOpKind::memory || op.kind == SmOpKind::compute);
    if (op.kind == SmOpKind::memory) {
      const SmUnit& unit = w_.config.units[op.unit];
      const double pipelines = copies(unit) * unit.count;
      const double hold = stepped(std::max(1.0, op.issue_interval * (w_.config.memory_ports / pipelines)));
      const std::uint32_t number = p_.request_pool[traces_[w.path][w.next].requests + op.access];
      const memory_model::Request request = memory_.level_of(p_.requests[number], number);
      done = elsewhere = stepped(op.latency) + memory_.serve(request, start, hold, op.returns_data);
      if (!is_async) {
        w.memory_completed = std::max(w.memory_completed, done);
        if (op.returns_data)
          w.loads.push_back(done);
        done = elsewhere = op.returns_data ? done : start;
      }
    }
    if (op.kind == SmOpKind::commit) {
      const auto kind = static_cast<std::size_t>(op.async);
      w.closed[kind].push_back(latest(w.open[kind]));
      w.open[kind].clear();
    }
    if (!is_barrier)
      w.completed = std::max(w.completed, done);
    if (is_async && op.async == AsyncKind::transactions)
      deliver(w, op.delivered_bytes, done);
    else if (is_async)
      w.open[static_cast<std::size_t>(op.async)].push_back(done);
    else if (!is_barrier)
      for (std::uint32_t i = 0; i < op.destination_count; ++i) {
        const std::uint16_t slot = p_.slots[op.slots + op.source_count + i];
        w.board[slot] = done;
        w.board_elsewhere[slot] = elsewhere;
        w.writer[slot] = op.unit;
      }
    const BarrierUse use = is_barrier ? use_of(w) : BarrierUse{.waits = false};
    if (is_barrier)
      arrive(w, use, start, traces_[w.path][w.next].op);
    ++w.next;
    issued_at_[index] = start;
    fetch(w);
    if (use.waits)
      pass_if_phase_ended(index);
    else if (w.next == traces_[w.path].size())
      finish(index);
    settle(w.cta);
    return start;
  }

  const BarrierUse& use_of(const Warp& w) const {
    const SmOp& op = op_of(w);
    return p_.barrier_uses[op.barrier_by_step ? p_.request_pool[traces_[w.path][w.next].requests + op.access]
                                              : op.barrier];
  }

  void arrive(Warp& w, const BarrierUse& use, double start, std::uint32_t op) {
    Barrier& b = barriers_[w.cta][use.barrier];
    if (use.arrivals != 0 || use.after_copies || use.announced_bytes != 0) {
      b.arrived += use.arrivals;
      b.expected = use.expected;
      b.announced += use.announced_bytes;
      b.last = std::max(b.last, start);
      if (use.after_copies)
        b.last = std::max(b.last, end_of_groups(w, AsyncKind::copies, all_groups));
      if (use.announced_bytes != 0)
        w.announced_at = static_cast<int>(use.barrier);
    }
    w.at_barrier = use.waits;
    w.only_waits = use.arrivals == 0;
    w.waits_at = use.barrier;
    w.waits_since = start;
    w.waiting_op = op;
  }

  void deliver(Warp& w, std::uint64_t bytes, double done) {
    if (w.announced_at < 0)
      return;
    Barrier& b = barriers_[w.cta][static_cast<std::size_t>(w.announced_at)];
    b.delivered += bytes;
    b.last = std::max(b.last, done);
    settle(w.cta);
  }

  void pass_if_phase_ended(std::uint32_t index) {
    Warp& w = warps_[index];
    const Barrier& b = barriers_[w.cta][w.waits_at];
    if (!w.only_waits || b.phases <= w.waits_done[w.waits_at])
      return;
    ++w.waits_done[w.waits_at];
    let_go(index, b.phases == w.waits_done[w.waits_at] ? b.ended : 0);
  }

  void finish(std::uint32_t index) {
    Warp& w = warps_[index];
    w.alive = false;
    cta_end_[w.cta] = std::max({cta_end_[w.cta], w.completed, issued_at_[index] + 1});
    if (--live_[w.cta] == 0) {
      ends_[w.cta] = cta_end_[w.cta];
      last_end_ = std::max(last_end_, cta_end_[w.cta]);
    }
  }

  void settle(std::uint32_t cta) {
    const std::uint32_t first = cta * per_cta_, end = first + per_cta_;
    while (true) {
      const auto complete = [&](const Barrier& b) {
        return b.arrived > 0 && b.arrived >= (b.expected != 0 ? b.expected : live_[cta]) &&
               b.delivered >= b.announced;
      };
      auto& barriers = barriers_[cta];
      const auto found = std::find_if(barriers.begin(), barriers.end(), complete);
      std::uint32_t waiting = end; // the first warp that waits
      std::uint32_t count = 0;
      for (std::uint32_t i = end; i-- > first;)
        if (warps_[i].at_barrier) {
          waiting = i;
          ++count;
        }
      if (found == barriers.end() && (count == 0 || count < live_[cta]))
        return;
      const bool ends = found != barriers.end();
      const auto number =
          ends ? static_cast<std::uint32_t>(found - barriers.begin()) : warps_[waiting].waits_at;
      Barrier& b = barriers[number];
      Barrier next;
      next.phases = b.phases + (ends ? 1 : 0);
      next.ended = ends ? b.last : b.ended;
      b = next;
      for (std::uint32_t i = first; i < end; ++i)
        if (warps_[i].at_barrier && warps_[i].waits_at == number) {
          warps_[i].waits_done[number] += ends && warps_[i].only_waits ? 1 : 0;
          let_go(i, ends ? next.ended : 0);
        }
    }
  }

  void let_go(std::uint32_t index, double ended) {
    Warp& w = warps_[index];
    const double latency = stepped(p_.ops[w.waiting_op].latency);
    const double released = std::max(std::max(ended, w.waits_since) + latency, now_ + 1);
    w.at_barrier = false;
    w.earliest = std::max(w.earliest, released);
    w.completed = std::max(w.completed, released);
    if (w.next == traces_[w.path].size())
      finish(index);
  }

  static constexpr std::size_t barrier_count = 4;

  const SmWorkload& w_;
  const SmProgram& p_;
  std::uint32_t per_cta_ = 0;
  double now_ = 0; // whole cycles
  std::uint64_t age_ = 0;
  double last_end_ = 0;
  std::vector<Warp> warps_;
  std::vector<std::vector<Traced>> traces_;
  std::vector<std::vector<std::vector<double>>> units_; // unit, copy, pipeline: free at
  std::vector<double> ends_;                            // per CTA slot: end, -1 while running or empty
  std::vector<std::uint32_t> live_;
  std::vector<std::uint32_t> last_;
  std::vector<double> next_slot_; // per sub-core
  std::deque<std::uint32_t> pending_;
  std::vector<double> cta_end_ = std::vector<double>(64, 0.0);
  std::vector<double> issued_at_ = std::vector<double>(256, 0.0);
  std::vector<std::vector<Barrier>> barriers_; // by CTA slot
  CodeLines code_;
  Memory memory_;
};

} // namespace kerncast::engine::reference
