// The sequential core of the timeline: streams in order, engines one item at a time, and the clock.
//
// Everything that happens at one time is settled before any engine picks its next item, so the order in
// which simultaneous events are found cannot matter.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace kerncast::timeline {

enum class Engine : std::uint8_t { copy_to_device, copy_from_device, copy_within_device, kernels, count_ };
inline constexpr std::size_t engine_count = static_cast<std::size_t>(Engine::count_);

// One launch or copy between its issue by the host and its end.
struct Item {
  double duration_us = 0;
  std::uint64_t order = 0; // of issue
  Engine engine = Engine::kernels;
};

class EventCore {
public:
  // The host issues an item to a stream, now.
  void issue(std::uint32_t stream, double duration_us, Engine engine);
  // Runs until no item ends before `time_us`; then it is that time.
  void advance_to(double time_us);
  // Runs until everything issued has ended.
  void drain();
  double now_us() const { return now_us_; }
  double last_end_us() const { return last_end_us_; }
  double busy_us() const { return busy_us_; }

private:
  // Earliest first; of items ready together the one issued first.
  using Ready = std::tuple<double, std::uint64_t, std::uint32_t>; // ready_us, order, stream
  struct EngineState {
    bool running = false;
    double end_us = 0;
    std::uint32_t stream = 0;
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  };

  std::uint32_t stream_index(std::uint32_t stream);
  void make_front_ready(std::uint32_t stream);
  void start_idle_engines();
  void end_item(EngineState& engine);
  bool step(double limit_us);

  std::unordered_map<std::uint32_t, std::uint32_t> stream_indices_;
  std::vector<std::deque<Item>> streams_; // the front is ready or running
  std::array<EngineState, engine_count> engines_;
  double now_us_ = 0;
  double last_end_us_ = 0;
  double busy_us_ = 0;
  std::uint64_t issued_ = 0;
  std::uint32_t running_ = 0;
};

} // namespace kerncast::timeline
