// What happens to an SM's memory requests after issue: pipeline ports, misses in flight, and the finite
// rates of the link to L2, of L2 and of DRAM (this SM's share of each).
//
// Requests queue here and never block the issue of other instructions. A server of rate r that gets b bytes
// is busy for b / r cycles; a request waits for the most loaded server on its way, then for its latency.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "engine/sm_workload.h"

namespace kerncast::engine {

class MemoryPipeline {
public:
  explicit MemoryPipeline(const SmConfig& config);

  // Takes a request that issued at `start`; returns when its data are there (loads, atomics).
  // `wavefront_cycles`: how long one wavefront holds a port.
  double serve(const memory_model::Request& request, double start, double wavefront_cycles,
               bool returns_data);

  // When all queues have drained.
  double drained_at() const;
  double l2_bytes() const { return l2_bytes_; }
  double dram_bytes() const { return dram_bytes_; }
  double port_cycles() const { return port_cycles_; }

private:
  struct Server {
    double bytes_per_clock = 0; // 0: unlimited
    double free_at = 0;
    // Queues `bytes` that arrive at `now`; returns when their service starts.
    double admit(double bytes, double now);
  };
  struct Miss {
    double done = 0;
    double bytes = 0;
  };

  double leave_port(double start, double wavefronts, double wavefront_cycles);
  double admit_miss(double bytes, double now);

  std::vector<double> port_free_at_;
  Server link_;
  Server l2_;
  Server dram_;
  double in_flight_limit_ = 0;
  double in_flight_bytes_ = 0;
  std::deque<Miss> in_flight_; // in order of admission
  double l2_bytes_ = 0;
  double dram_bytes_ = 0;
  double port_cycles_ = 0;
};

} // namespace kerncast::engine
