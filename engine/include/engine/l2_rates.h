// How long L2 is busy with an access: its slices take requests on one way and send data on another.
//
// What is written travels with the requests, what is read with the data; a request to read has no data but
// takes its time as well. Left out: that a store's request takes as long for one sector as for a line, and
// what atomics return.
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

// Atomics of one address that this share of the GPU may carry out; 0: any number.
inline double hottest_lanes_per_clock(const configs::Gpu& gpu, double share) {
  return gpu.l2_atomic_interval > 0 ? share / gpu.atomic_interval_cycles() : 0;
}

// Of both ways.
template <class T> struct L2Ways {
  T data{};
  T requests{};
};

// Bytes of each, as if the way of requests held written ones only.
inline L2Ways<double> l2_load(double bytes, double written, const L2RequestWay& requests) {
  if (requests.bytes_per_clock <= 0)
    return {bytes, 0};
  const double read = bytes - written;
  return {read, written + requests.fraction_of_reads * read};
}

inline L2Ways<Time> l2_service(double bytes, bool writes, double bytes_per_clock,
                               const L2RequestWay& requests) {
  const L2Ways<double> load = l2_load(bytes, writes ? bytes : 0, requests);
  return {service_time(load.data, bytes_per_clock), service_time(load.requests, requests.bytes_per_clock)};
}

// Queues an access on both ways; returns when the later one begins with it.
inline Time admit(L2Ways<Time>& free_at, const L2Ways<Time>& service, Time now) {
  return std::max(admit(free_at.data, service.data, now), admit(free_at.requests, service.requests, now));
}

// Cycles that the busier way is held.
inline double l2_busy_cycles(double bytes, double written, double bytes_per_clock,
                             const L2RequestWay& requests) {
  const L2Ways<double> load = l2_load(bytes, written, requests);
  const auto cycles = [](double of_way, double rate) { return rate > 0 ? of_way / rate : 0; };
  return std::max(cycles(load.data, bytes_per_clock), cycles(load.requests, requests.bytes_per_clock));
}

} // namespace kerncast::engine
