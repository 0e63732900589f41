// The memory of the plain reference: servers of finite rate, misses in flight, lines of code.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <utility>
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

// One that all SMs share: they are out of step by as long as the last of them has waited for the others.
struct Shared : Server {
  double waited = 0, others = 0;
  double admit(double bytes, double now) {
    if (rate <= 0 || bytes <= 0)
      return now;
    const double begin = std::max(free, now - stepped(others * waited));
    free = begin + stepped(bytes / rate);
    waited = std::max(waited, begin - now);
    return std::max(now, begin);
  }
};

struct Memory {
  std::vector<double> ports;
  double departed = 0; // the last wavefront
  Server link;
  Shared l2, l2_requests, hottest, dram;
  double of_reads = 0; // what a request takes of l2_requests, of what a line written takes
  double limit = 0, in_flight = 0;
  std::deque<std::pair<double, double>> misses; // done, bytes

  // A request goes where its draw falls, in shares of 2^64.
  static memory_model::Request level_of(const memory_model::Request& r, std::uint64_t draw) {
    if (r.levels[0].share + r.levels[1].share + r.levels[2].share == 0)
      return r;
    const double at = static_cast<double>(draw) / 18446744073709551616.0;
    std::size_t level = at <= r.levels[0].share ? 0 : at <= r.levels[0].share + r.levels[1].share ? 1 : 2;
    memory_model::Request chosen = r;
    chosen.latency = r.levels[level].latency;
    chosen.l2_bytes = r.levels[level].l2_bytes;
    chosen.dram_bytes = r.levels[level].dram_bytes;
    return chosen;
  }

  // Written bytes go to L2 with the requests, if these have a way of their own.
  double admit_to_l2(double bytes, bool writes, double lines, double sent, double now) {
    if (l2_requests.rate <= 0)
      return l2.admit(bytes, now);
    const double request =
        l2_requests.admit(of_reads * lines * bytes + (writes ? (1 - of_reads) * sent * bytes : 0), now);
    return writes ? request : std::max(request, l2.admit(bytes, now));
  }

  double serve(const memory_model::Request& r, double start, double hold, bool returns) {
    if (r.wavefronts == 0) // of no lane
      return start + stepped(r.latency);
    auto port = std::min_element(ports.begin(), ports.end());
    const double begin = std::max(start, *port);
    *port = begin + r.wavefronts * hold;
    double now = begin + (r.wavefronts - 1) * hold;
    departed = std::max(departed, now);
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
    const double a = link.admit(r.l2_bytes, now),
                 b = admit_to_l2(r.l2_bytes, r.writes, r.line_bytes_per_byte, r.sent_bytes_per_byte, now),
                 c = dram.admit(r.dram_bytes, now), d = hottest.admit(r.hottest_turns, now);
    const double done = std::max({a, b, c, d}) + stepped(r.latency);
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
      const double link = memory.link.admit(128, now),
                   l2 = memory.admit_to_l2(128 / config.instruction_sms, false, 1, 1, now);
      one.second = std::max(link, l2) + stepped(config.instruction_miss_latency);
    }
    held.push_back(one);
    return one.second;
  }
};

} // namespace kerncast::engine::reference
