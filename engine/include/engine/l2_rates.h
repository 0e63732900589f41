// How long L2 is busy with an access: its slices take requests on one way and send data on another.
//
// What is written travels with the requests, what is read with the data. A request takes its time on its way
// whatever it asks for, a line or one sector of it, and a store's takes the time of its data as well, as many
// whole sectors as hold them side by side. Left out: what atomics return.
#pragma once

#include <algorithm>

#include "configs/gpu.h"
#include "engine/finite_rate.h"
#include "engine/sm_workload.h"

namespace kerncast::engine {

// `share`: of those of the whole GPU.
inline L2RequestWay l2_requests_of(const configs::Gpu& gpu, double share) {
  return {gpu.l2_write_bytes_per_clock() * share, gpu.l2_requests.fraction_of_reads};
}

// Turns at one address or line that this share of the GPU may have (memory_model::Request); 0: any number.
inline double hottest_turns_per_clock(const configs::Gpu& gpu, double share) {
  return gpu.l2_atomic_interval > 0 ? share / gpu.atomic_interval_cycles() : 0;
}

// Of both ways.
template <class T> struct L2Ways {
  T data{};
  T requests{};
};

// What crosses to L2 or from it.
struct L2Access {
  double bytes = 0;
  bool writes = false;
  double line_bytes_per_byte = 1; // memory_model::Request's, and so is the next one
  double sent_bytes_per_byte = 1;
};

inline L2Access l2_access(const memory_model::Request& request, double bytes) {
  return {bytes, request.writes, request.line_bytes_per_byte, request.sent_bytes_per_byte};
}

// Bytes on each way; on that of requests, of written lines that would take as long.
inline L2Ways<double> l2_load(const L2Access& access, const L2RequestWay& requests) {
  if (requests.bytes_per_clock <= 0)
    return {access.bytes, 0};
  const double asked = requests.fraction_of_reads * access.line_bytes_per_byte * access.bytes;
  if (!access.writes)
    return {access.bytes, asked};
  return {0, asked + (1 - requests.fraction_of_reads) * access.sent_bytes_per_byte * access.bytes};
}

inline L2Ways<Time> l2_service(const L2Access& access, double bytes_per_clock, const L2RequestWay& requests) {
  const L2Ways<double> load = l2_load(access, requests);
  return {service_time(load.data, bytes_per_clock), service_time(load.requests, requests.bytes_per_clock)};
}

// Queues an access on both ways; returns when the later one begins with it.
inline Time admit(L2Ways<Time>& free_at, const L2Ways<Time>& service, Time now) {
  return std::max(admit(free_at.data, service.data, now), admit(free_at.requests, service.requests, now));
}

inline Time admit(L2Ways<SharedServer>& servers, const L2Ways<Time>& service, Time now, double others) {
  return std::max(admit(servers.data, service.data, now, others),
                  admit(servers.requests, service.requests, now, others));
}

// Cycles that the busier way is held.
inline double l2_busy_cycles(const L2Ways<double>& load, double bytes_per_clock,
                             const L2RequestWay& requests) {
  const auto cycles = [](double of_way, double rate) { return rate > 0 ? of_way / rate : 0; };
  return std::max(cycles(load.data, bytes_per_clock), cycles(load.requests, requests.bytes_per_clock));
}

} // namespace kerncast::engine
