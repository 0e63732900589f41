// Misses of an SM whose L2 and DRAM are simulated elsewhere: the limit of those under way and the link to L2
// are here; when their data return is not known before it is told.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "engine/stepped_sm.h"

namespace kerncast::engine {

class RemoteMisses {
public:
  // `in_flight_limit`: bytes; 0: unlimited.
  explicit RemoteMisses(double in_flight_limit) : limit_(in_flight_limit) {}

  // Takes a miss that is there at `ready` and holds the link for `link`. Returns when it
  // is done if nothing else is under way, or if it is awaited the unknown time of its return.
  Time take(const SmMiss& miss, Time link, Time ready, bool awaited);
  // Takes an access that waits for what is under way already: an unknown time.
  Time join() { return unknown_time(new_number(0)); }
  // The data of the miss with that unknown time are there.
  void arrive(std::uint32_t number, Time at);

  std::vector<SmMiss>& departed() { return departed_; }
  Time& link_free_at() { return link_free_at_; }
  Time link_free_at() const { return link_free_at_; }

private:
  struct Waiting {
    SmMiss miss;
    Time link = 0;
    Time ready = 0;
  };
  struct Returned {
    Time at = 0;
    double bytes = 0;
  };
  std::uint32_t new_number(double bytes);
  Time depart(Waiting waiting);
  bool fits(double bytes) const { return in_flight_ == 0 || in_flight_ + bytes <= limit_; }
  void let_waiting_go();

  double limit_;
  double in_flight_ = 0; // bytes, those included that have returned but made no room yet
  Time link_free_at_ = 0;
  Time room_since_ = 0;           // that the last one got which had to wait for it
  std::deque<Waiting> waiting_;   // for room, in order
  std::deque<Returned> returned_; // in order of time, and not yet used to make room
  std::vector<double> bytes_;     // by number
  std::vector<std::uint32_t> free_numbers_;
  std::vector<SmMiss> departed_;
};

} // namespace kerncast::engine
