// A server of finite rate: what arrives while it is busy waits for its turn.
#pragma once

#include <algorithm>

#include "engine/sm_time.h"

namespace kerncast::engine {

// How long a server of that rate is busy with `bytes`; 0: its rate is unlimited.
inline Time service_time(double bytes, double bytes_per_clock) {
  return bytes_per_clock > 0 ? to_time(bytes / bytes_per_clock) : 0;
}

// Queues work of length `service` that arrives at `now`; returns when it starts.
inline Time admit(Time& free_at, Time service, Time now) {
  if (service == 0)
    return now;
  const Time begin = std::max(now, free_at);
  free_at = begin + service;
  return begin;
}

// An SM's share of a server that all SMs use. SMs that began in step have waited for one another, the last
// one for all the others, and are out of step by as long from then on: so much of what comes at once is
// served while the others do not ask. The SM stands for the last one. At first, and in the mean, it has its
// share of the rate.
struct SharedServer {
  Time free_at = 0;
  Time longest_wait = 0;
  Time out_of_step = 0;
};

// `others`: share of the rate that other SMs have.
inline Time admit(SharedServer& server, Time service, Time now, double others) {
  if (service == 0)
    return now;
  const Time begin = std::max(server.free_at, now - server.out_of_step);
  server.free_at = begin + service;
  if (begin - now > server.longest_wait) {
    server.longest_wait = begin - now;
    server.out_of_step = to_time(others * to_cycles(server.longest_wait));
  }
  return std::max(now, begin);
}

} // namespace kerncast::engine
