// The SM's memory pipeline as a chain of finite-rate servers; see the header for what is left out.
#include "memory_pipeline.h"

#include <algorithm>

namespace kerncast::engine {
namespace {

// How long a server of that rate is busy with `bytes`; 0: its rate is unlimited.
Time service_time(double bytes, double bytes_per_clock) {
  return bytes_per_clock > 0 ? to_time(bytes / bytes_per_clock) : 0;
}

// Queues work of length `service` that arrives at `now`; returns when it starts.
Time admit(Time& free_at, Time service, Time now) {
  if (service == 0)
    return now;
  const Time begin = std::max(now, free_at);
  free_at = begin + service;
  return begin;
}

} // namespace

MemoryPipeline::MemoryPipeline(const SmConfig& config, const std::vector<memory_model::Request>& requests)
    : port_free_at_(std::max(1U, config.memory_ports), 0), in_flight_limit_(config.in_flight_bytes) {
  requests_.reserve(requests.size());
  for (const memory_model::Request& request : requests)
    requests_.push_back({.latency = to_time(request.latency),
                         .link = service_time(request.l2_bytes, config.link_bytes_per_clock),
                         .l2 = service_time(request.l2_bytes, config.l2_bytes_per_clock),
                         .dram = service_time(request.dram_bytes, config.dram_bytes_per_clock),
                         .wavefronts = request.wavefronts,
                         .l2_bytes = request.l2_bytes});
}

void MemoryPipeline::InFlight::push(const Miss& miss) {
  if (end_ - first_ == ring_.size()) {
    std::vector<Miss> larger(ring_.size() * 2);
    for (std::uint64_t i = first_; i < end_; ++i)
      larger[i & (larger.size() - 1)] = ring_[i & mask_];
    ring_ = std::move(larger);
    mask_ = ring_.size() - 1;
  }
  ring_[end_++ & mask_] = miss;
}

Time MemoryPipeline::leave_port(Time start, double wavefronts, Time wavefront) {
  Time& port = *std::min_element(port_free_at_.begin(), port_free_at_.end());
  const Time begin = std::max(start, port);
  const Time held = wavefronts == 1 ? wavefront : to_time(wavefronts * to_cycles(wavefront));
  port = begin + held;
  port_time_ += held;
  return begin + held - wavefront;
}

// Misses return in the order they left, so the oldest ones make room.
Time MemoryPipeline::admit_miss(double bytes, Time now) {
  while (!in_flight_.empty()) {
    const bool full = in_flight_bytes_ + bytes > in_flight_limit_;
    if (!full && in_flight_.front().done > now)
      break;
    now = std::max(now, full ? in_flight_.front().done : now);
    in_flight_bytes_ -= in_flight_.front().bytes;
    in_flight_.pop();
  }
  return now;
}

Time MemoryPipeline::serve(std::uint32_t index, Time start, Time wavefront, bool returns_data) {
  Timed& request = requests_[index];
  ++request.served;
  Time now = leave_port(start, request.wavefronts, wavefront);
  if (request.l2_bytes <= 0)
    return now + request.latency;
  const bool counted = returns_data && in_flight_limit_ > 0;
  if (counted)
    now = admit_miss(request.l2_bytes, now);
  const Time done = request.latency +
                    std::max({admit(link_free_at_, request.link, now), admit(l2_free_at_, request.l2, now),
                              admit(dram_free_at_, request.dram, now)});
  if (counted) {
    in_flight_.push({done, request.l2_bytes});
    in_flight_bytes_ += request.l2_bytes;
  }
  return done;
}

Time MemoryPipeline::drained_at() const { return std::max({link_free_at_, l2_free_at_, dram_free_at_}); }

} // namespace kerncast::engine
