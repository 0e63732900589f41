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

} // namespace kerncast::engine
