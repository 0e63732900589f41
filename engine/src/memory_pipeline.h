// What happens to an SM's memory requests after issue: pipeline ports, misses in flight, and the finite
// rates of the link to L2, of L2 (engine/l2_rates.h), of atomics on the launch's hottest address there, and
// of DRAM (this SM's share of each).
//
// A request that hits and misses in given shares goes to the level where its draw falls (level_draw.h).
//
// Requests queue here in the order in which they issued, also where a queue before their unit makes one begin
// later than the next, and never block the issue of other instructions. A server of rate r that gets b bytes
// is busy for b / r cycles; a request waits for the most loaded server on its way, then for its latency.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "cache_lines.h"
#include "engine/known_accesses.h"
#include "engine/l2_rates.h"
#include "engine/sm_time.h"
#include "engine/sm_workload.h"
#include "remote_misses.h"

namespace kerncast::engine {

class MemoryPipeline {
public:
  // `remote`: L2 and DRAM are somebody else's.
  MemoryPipeline(const SmConfig& config, const std::vector<memory_model::Request>& requests,
                 bool remote = false);

  // Takes request number `request` that its unit begins with at `start`; returns when its data are there
  // (loads, atomics), an unknown time if that is not decided here. `draw`: see level_draw.h. `wavefront`: how
  // long one wavefront holds a port.
  Time serve(std::uint32_t request, std::uint64_t draw, Time start, Time wavefront, bool returns_data) {
    Timed& timed = requests_[request];
    const Level& level = choose(timed, draw);
    if (timed.wavefronts == 0)
      return start + level.latency;
    const Time now = leave_port(start, timed.wavefronts, wavefront);
    return level.l2_bytes <= 0 ? now + level.latency
                               : serve_miss(level, request, timed.writes, now, returns_data);
  }

  // Whether the request goes through the pipeline: one of no lane only issues.
  bool has_wavefronts(std::uint32_t request) const { return requests_[request].wavefronts != 0; }

  // The same for one whose addresses are known; of a remote SM.
  Time serve_known(std::uint32_t request, const KnownAccesses::Found& found, Time start, Time wavefront,
                   bool returns_data);

  // Fetches instructions, of which L2 is asked for a part only; returns when the servers begin with them.
  Time fetch(double bytes, double of_l2, Time now);

  RemoteMisses& remote() { return *remote_; }
  // When all queues have drained.
  Time drained_at() const;
  // Port time held, summed over the ports.
  Time port_time() const { return port_time_; }
  // Bytes that crossed to L2 and that DRAM delivered or took.
  double l2_bytes() const;
  L2Ways<double> l2_load() const;
  double l2_fetched_bytes() const { return fetched_bytes_; }
  double dram_bytes() const;
  // At the hottest address or line of L2.
  double hottest_turns() const;

private:
  // What one level does with a request, with the time that each server needs for it.
  struct Level {
    Time latency = 0;
    double l2_bytes = 0;
    std::uint64_t served = 0;
    Time link = 0;
    L2Ways<Time> l2{};
    Time hottest = 0;
    Time dram = 0;
    double dram_bytes = 0;
  };
  // `below`: a smaller draw goes to the first level, or to the second. The first line of a cache is what a
  // request needs that the first level serves without L2.
  struct alignas(64) Timed {
    double wavefronts = 1;
    std::array<std::uint64_t, 2> below{};
    std::array<Level, 3> levels{};
    bool writes = false;
    double hottest_turns = 0;
    L2Ways<double> load_per_byte{};
  };
  struct Miss {
    Time done = 0;
    double bytes = 0;
  };
  // Misses in order of admission, in a ring whose size is a power of two.
  class InFlight {
  public:
    bool empty() const { return first_ == end_; }
    const Miss& front() const { return ring_[first_ & mask_]; }
    void pop() { ++first_; }
    void push(const Miss& miss);

  private:
    std::vector<Miss> ring_ = std::vector<Miss>(64);
    std::uint64_t mask_ = 63;
    std::uint64_t first_ = 0;
    std::uint64_t end_ = 0;
  };

  Level level_of(const memory_model::ServedBy& served, const memory_model::Request& request) const;
  Timed timed(const memory_model::Request& request) const;
  static Level& choose(Timed& request, std::uint64_t draw);
  // A sum over all requests that are served.
  template <class Bytes> double sum_of_levels(Bytes&& bytes) const;
  Time leave_port(Time start, double wavefronts, Time wavefront);
  Time serve_miss(const Level& level, std::uint32_t request, bool writes, Time now, bool returns_data);
  Time admit_miss(double bytes, Time now);

  const SmConfig& config_;
  std::vector<Time> port_free_at_;
  std::vector<Timed, CacheLines<Timed>> requests_;
  Time link_free_at_ = 0;
  L2Ways<SharedServer> l2_{};
  SharedServer hottest_;
  SharedServer dram_;
  double in_flight_limit_ = 0;
  double in_flight_bytes_ = 0;
  InFlight in_flight_;
  std::optional<RemoteMisses> remote_;
  Time port_time_ = 0;
  Time last_departure_ = 0;        // of a request's last wavefront
  double fetched_bytes_ = 0;       // of instructions, by L2
  double other_l2_bytes_ = 0;      // of no level of a request
  L2Ways<double> other_load_{};    // likewise
  double other_hottest_turns_ = 0; // likewise
};

inline MemoryPipeline::Level& MemoryPipeline::choose(Timed& request, std::uint64_t draw) {
  Level& level = draw <= request.below[0]   ? request.levels[0]
                 : draw <= request.below[1] ? request.levels[1]
                                            : request.levels[2];
  ++level.served;
  return level;
}

inline Time MemoryPipeline::leave_port(Time start, double wavefronts, Time wavefront) {
  Time* port = port_free_at_.data();
  if (port_free_at_.size() > 1)
    port = &*std::min_element(port_free_at_.begin(), port_free_at_.end());
  const Time begin = std::max(start, *port);
  const Time held = wavefronts == 1 ? wavefront : to_time(wavefronts * to_cycles(wavefront));
  *port = begin + held;
  port_time_ += held;
  last_departure_ = std::max(last_departure_, begin + held - wavefront);
  return begin + held - wavefront;
}

} // namespace kerncast::engine
