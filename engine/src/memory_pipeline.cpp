// The SM's memory pipeline as a chain of finite-rate servers; see the header for what is left out.
#include "memory_pipeline.h"

#include <algorithm>

namespace kerncast::engine {

MemoryPipeline::MemoryPipeline(const SmConfig& config)
    : port_free_at_(std::max(1U, config.memory_ports), 0.0), link_{config.link_bytes_per_clock},
      l2_{config.l2_bytes_per_clock}, dram_{config.dram_bytes_per_clock},
      in_flight_limit_(config.in_flight_bytes) {}

double MemoryPipeline::Server::admit(double bytes, double now) {
  if (bytes_per_clock <= 0 || bytes <= 0)
    return now;
  const double begin = std::max(now, free_at);
  free_at = begin + bytes / bytes_per_clock;
  return begin;
}

double MemoryPipeline::leave_port(double start, double wavefronts, double wavefront_cycles) {
  auto port = std::min_element(port_free_at_.begin(), port_free_at_.end());
  const double begin = std::max(start, *port);
  *port = begin + wavefronts * wavefront_cycles;
  port_cycles_ += wavefronts * wavefront_cycles;
  return begin + (wavefronts - 1) * wavefront_cycles;
}

// Misses return in the order they left, so the oldest ones make room.
double MemoryPipeline::admit_miss(double bytes, double now) {
  while (!in_flight_.empty()) {
    const bool full = in_flight_limit_ > 0 && in_flight_bytes_ + bytes > in_flight_limit_;
    if (!full && in_flight_.front().done > now)
      break;
    now = std::max(now, full ? in_flight_.front().done : now);
    in_flight_bytes_ -= in_flight_.front().bytes;
    in_flight_.pop_front();
  }
  return now;
}

double MemoryPipeline::serve(const memory_model::Request& request, double start, double wavefront_cycles,
                             bool returns_data) {
  double now = leave_port(start, request.wavefronts, wavefront_cycles);
  if (request.l2_bytes <= 0)
    return now + request.latency;
  if (returns_data)
    now = admit_miss(request.l2_bytes, now);
  const double served = std::max({link_.admit(request.l2_bytes, now), l2_.admit(request.l2_bytes, now),
                                  dram_.admit(request.dram_bytes, now)});
  l2_bytes_ += request.l2_bytes;
  dram_bytes_ += request.dram_bytes;
  const double done = served + request.latency;
  if (returns_data && in_flight_limit_ > 0) {
    in_flight_.push_back({done, request.l2_bytes});
    in_flight_bytes_ += request.l2_bytes;
  }
  return done;
}

double MemoryPipeline::drained_at() const { return std::max({link_.free_at, l2_.free_at, dram_.free_at}); }

} // namespace kerncast::engine
