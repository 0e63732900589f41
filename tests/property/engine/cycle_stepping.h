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

struct Warp {
  bool alive = false, at_barrier = false;
  std::size_t next = 0; // in trace
  std::uint32_t path = 0, cta = 0;
  std::uint64_t age = 0;
  double earliest = 0, completed = 0, memory_completed = 0;
  std::vector<double> board;
};

// One executed operation of a path, loops unrolled.
struct Traced {
  std::uint32_t op = 0, requests = 0;
};

class Sm {
public:
  explicit Sm(const SmWorkload& w) : w_(w), p_(*w.program) {
    per_cta_ = static_cast<std::uint32_t>(w.kinds[0].warp_paths.size());
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
    for (std::uint32_t i = 0; i < per_cta_; ++i) {
      Warp warp;
      warp.alive = true;
      warp.path = kind.warp_paths[i];
      warp.cta = slot;
      warp.age = age_++;
      warp.earliest = warp.completed = begin;
      warp.board.assign(p_.slot_count, 0.0);
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

  double operands(const Warp& w) const {
    const SmOp& op = op_of(w);
    double ready = op.kind == SmOpKind::fence ? w.memory_completed : 0;
    for (std::uint32_t i = 0; i < op.source_count; ++i)
      ready = std::max(ready, w.board[p_.slots[op.slots + i]]);
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
      const bool was_barrier = op_of(warps_[index]).kind == SmOpKind::barrier;
      const double start = issue(index);
      if (w_.config.dual_issue && !was_barrier && can_issue(index, true)) {
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
    double done = start + stepped(op.latency);
    if (op.kind == SmOpKind::memory) {
      const SmUnit& unit = w_.config.units[op.unit];
      const double pipelines = copies(unit) * unit.count;
      const double hold = stepped(std::max(1.0, op.issue_interval * (w_.config.memory_ports / pipelines)));
      const std::uint32_t number = p_.request_pool[traces_[w.path][w.next].requests + op.access];
      const memory_model::Request request = memory_.level_of(p_.requests[number], number);
      done = stepped(op.latency) + memory_.serve(request, start, hold, op.returns_data);
      w.memory_completed = std::max(w.memory_completed, done);
      done = op.returns_data ? done : start;
    }
    ++w.next;
    issued_at_[index] = start;
    if (op.kind == SmOpKind::barrier) {
      w.at_barrier = true;
      arrival_[w.cta] = std::max(arrival_[w.cta], start);
      barrier_latency_[w.cta] = stepped(op.latency);
    } else {
      for (std::uint32_t i = 0; i < op.destination_count; ++i)
        w.board[p_.slots[op.slots + op.source_count + i]] = done;
      w.completed = std::max(w.completed, done);
      if (w.next == traces_[w.path].size())
        finish(index);
    }
    release_if_all_arrived(w.cta);
    return start;
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

  void release_if_all_arrived(std::uint32_t cta) {
    const std::uint32_t first = cta * per_cta_;
    std::uint32_t arrived = 0;
    for (std::uint32_t i = first; i < first + per_cta_; ++i)
      arrived += warps_[i].at_barrier ? 1 : 0;
    if (arrived == 0 || arrived != live_[cta])
      return;
    const double released = std::max(arrival_[cta] + barrier_latency_[cta], now_ + 1);
    arrival_[cta] = 0;
    for (std::uint32_t i = first; i < first + per_cta_; ++i) {
      Warp& w = warps_[i];
      if (!w.at_barrier)
        continue;
      w.at_barrier = false;
      w.earliest = std::max(w.earliest, released);
      w.completed = std::max(w.completed, released);
      if (w.next == traces_[w.path].size())
        finish(i);
    }
  }

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
  std::vector<double> arrival_ = std::vector<double>(64, 0.0);
  std::vector<double> barrier_latency_ = std::vector<double>(64, 0.0);
  std::vector<double> issued_at_ = std::vector<double>(256, 0.0);
  Memory memory_;
};

} // namespace kerncast::engine::reference
