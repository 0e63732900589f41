// What surrounds a stepped SM where nothing is shared: every miss returns after its latency, and CTAs of the
// workload's list replace those that end.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/stepped_sm.h"

namespace kerncast::engine {

class IdealSurroundings {
public:
  IdealSurroundings(const SmWorkload& workload, std::int64_t window_cycles)
      : workload_(workload), window_(window_cycles), sm_(workload, 0) {
    for (const CtaRun& run : workload.ctas)
      kinds_.insert(kinds_.end(), run.count, run.kind);
  }

  SmResult run() {
    for (std::uint32_t slot = 0; slot < workload_.resident_ctas && next_ < kinds_.size(); ++slot)
      place(slot, 0);
    for (std::int64_t end = window_; busy(); end += window_) {
      deliver(begin_of(end));
      take_over(); // what has ended with that
      start_ctas(begin_of(end));
      sm_.run_until(end);
      take_over();
    }
    return sm_.result();
  }

private:
  struct Return {
    Time at = 0;
    std::uint32_t number = 0;
  };

  bool busy() const { return !returns_.empty() || !ended_.empty() || sm_.next_cycle() != INT64_MAX; }
  void place(std::uint32_t slot, Time at) {
    if (next_ == kinds_.size())
      return;
    const Time launch = std::max(at, next_launch_);
    next_launch_ = launch + to_time(workload_.config.cta_launch_interval);
    sm_.place(slot, kinds_[next_++], at, launch + to_time(workload_.config.cta_launch_latency));
  }
  // CTAs that end in this window are replaced in the order in which they end.
  void start_ctas(Time end) {
    std::stable_sort(ended_.begin(), ended_.end(), [](const EndedCta& a, const EndedCta& b) {
      return a.end != b.end ? a.end < b.end : a.slot < b.slot;
    });
    std::size_t done = 0;
    for (; done < ended_.size() && ended_[done].end < end; ++done)
      place(ended_[done].slot, ended_[done].end);
    ended_.erase(ended_.begin(), ended_.begin() + static_cast<std::ptrdiff_t>(done));
  }
  void deliver(Time end) {
    std::stable_sort(returns_.begin(), returns_.end(),
                     [](const Return& a, const Return& b) { return a.at < b.at; });
    std::size_t done = 0;
    for (; done < returns_.size() && returns_[done].at < end; ++done)
      sm_.arrive(returns_[done].number, returns_[done].at);
    returns_.erase(returns_.begin(), returns_.begin() + static_cast<std::ptrdiff_t>(done));
  }
  void take_over() {
    for (const SmMiss& miss : sm_.misses())
      if (miss.number != SmMiss::unawaited)
        returns_.push_back({miss.departs + miss.latency, miss.number});
    sm_.misses().clear();
    ended_.insert(ended_.end(), sm_.ended().begin(), sm_.ended().end());
    sm_.ended().clear();
  }

  const SmWorkload& workload_;
  std::int64_t window_;
  SteppedSm sm_;
  std::vector<std::uint32_t> kinds_; // of the CTAs, in dispatch order
  std::size_t next_ = 0;
  Time next_launch_ = to_time(workload_.config.first_cta_launch);
  std::vector<Return> returns_;
  std::vector<EndedCta> ended_;
};

} // namespace kerncast::engine
