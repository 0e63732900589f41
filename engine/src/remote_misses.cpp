#include "remote_misses.h"

#include "engine/finite_rate.h"

namespace kerncast::engine {

Time RemoteMisses::depart(Waiting waiting) {
  waiting.miss.departs = admit(link_free_at_, waiting.link, waiting.ready);
  departed_.push_back(waiting.miss);
  return waiting.miss.departs;
}

std::uint32_t RemoteMisses::new_number(double bytes) {
  if (free_numbers_.empty()) {
    free_numbers_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    bytes_.push_back(0);
  }
  const std::uint32_t number = free_numbers_.back();
  free_numbers_.pop_back();
  bytes_[number] = bytes;
  return number;
}

Time RemoteMisses::take(const SmMiss& miss, Time link, Time ready, bool awaited) {
  if (!awaited)
    return depart({miss, link, ready}) + miss.latency;
  Waiting waiting{miss, link, ready};
  waiting.miss.number = new_number(miss.l2_bytes);
  if (limit_ <= 0) {
    depart(waiting);
  } else {
    waiting_.push_back(waiting);
    let_waiting_go();
  }
  return unknown_time(waiting.miss.number);
}

// What has returned makes room in its order; a miss that needed it leaves no earlier.
void RemoteMisses::let_waiting_go() {
  while (!waiting_.empty()) {
    Waiting& first = waiting_.front();
    first.ready = std::max(first.ready, room_since_);
    while (!returned_.empty() && (returned_.front().at <= first.ready || !fits(first.miss.l2_bytes))) {
      if (returned_.front().at > first.ready)
        first.ready = room_since_ = returned_.front().at;
      in_flight_ -= returned_.front().bytes;
      returned_.pop_front();
    }
    if (!fits(first.miss.l2_bytes))
      return;
    in_flight_ += first.miss.l2_bytes;
    depart(first);
    waiting_.pop_front();
  }
}

void RemoteMisses::arrive(std::uint32_t number, Time at) {
  free_numbers_.push_back(number);
  if (limit_ <= 0)
    return;
  returned_.push_back({at, bytes_[number]});
  let_waiting_go();
}

} // namespace kerncast::engine
