// The sequential core of the timeline: streams in order, engines one item at a time, and the clock. Records
// of CUDA events and waits for them stand in the streams between the items and take no time.
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

// What a stream holds: a launch or copy, between its issue by the host and its end, or a mark.
struct Item {
  enum class Kind : std::uint8_t { work, record, wait };
  Kind kind = Kind::work;
  Engine engine = Engine::kernels; // of work
  std::uint32_t record = 0;        // of record and wait
  double duration_us = 0;          // of work
  std::uint64_t order = 0;         // of issue
};

class EventCore {
public:
  // The host issues an item to a stream, now.
  void issue(std::uint32_t stream, double duration_us, Engine engine);
  // Records what the stream holds; the record's number.
  std::uint32_t issue_record(std::uint32_t stream);
  // Later work of the stream waits until the record is complete.
  void issue_wait(std::uint32_t stream, std::uint32_t record);
  // Runs until no item ends before `time_us`; then it is that time.
  void advance_to(double time_us);
  // Runs until everything issued has ended.
  void drain();
  void drain_stream(std::uint32_t stream);
  void complete_record(std::uint32_t record);
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

  struct Record {
    bool is_complete = false;
    std::vector<std::uint32_t> waiting; // streams whose front waits for it
  };

  std::uint32_t stream_index(std::uint32_t stream);
  void push(std::uint32_t stream, Item item);
  void settle_front(std::uint32_t stream);
  bool passes(const Item& mark, std::uint32_t stream);
  void start_idle_engines();
  void end_item(EngineState& engine);
  bool step(double limit_us);

  std::unordered_map<std::uint32_t, std::uint32_t> stream_indices_;
  std::vector<std::deque<Item>> streams_; // the front is ready, running, or waits for a record
  std::vector<Record> records_;
  std::vector<std::uint32_t> unsettled_; // streams with a new front; empty but in settle_front
  std::array<EngineState, engine_count> engines_;
  double now_us_ = 0;
  double last_end_us_ = 0;
  double busy_us_ = 0;
  std::uint64_t issued_ = 0;
  std::uint32_t running_ = 0;
};

} // namespace kerncast::timeline
