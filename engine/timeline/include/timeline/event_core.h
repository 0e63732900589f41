// The sequential core of the timeline: streams in order, engines one item at a time, and the clock. Records
// of CUDA events and waits for them stand in the streams between the items and take no time. What others have
// to complete (a message's arrival) holds its stream without an engine.
//
// Times are in any one unit.
//
// Everything that happens at one time is settled before any engine picks its next item, so the order in
// which simultaneous events are found cannot matter.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace kerncast::timeline {

// The last two move messages: to GPUs of the node, and to the network.
enum class Engine : std::uint8_t {
  copy_to_device,
  copy_from_device,
  copy_within_device,
  kernels,
  to_peers,
  to_network,
  count_
};
inline constexpr std::size_t engine_count = static_cast<std::size_t>(Engine::count_);

// What a stream holds: a launch or copy, between its issue by the host and its end, or a mark.
struct Item {
  enum class Kind : std::uint8_t { work, external, record, wait };
  Kind kind = Kind::work;
  Engine engine = Engine::kernels; // of work
  std::uint32_t number = 0;        // of record and wait: the record; of others: the issuer's
  double duration = 0;             // of work
  std::uint64_t order = 0;         // of issue
};

// What an observer sees of an item: from its start to its end, without what it waited for before.
struct ItemSpan {
  Item::Kind kind = Item::Kind::work;
  Engine engine = Engine::kernels; // of work
  std::uint32_t stream = 0;
  std::uint32_t number = 0;
  double begin = 0;
  double end = 0;
};

// Time in which something of a kind was under way.
struct BusyTimes {
  double any = 0;           // on some engine
  double kernels = 0;       //
  double copies = 0;        // on some copy engine
  double communication = 0; // messages leaving, or something that others complete
  double exposed = 0;       // communication, and no kernel or copy
};

class EventCore {
public:
  // Called when an item of a number starts: work of the two engines of messages, and externals.
  using Started = std::function<void(const Item& item, std::uint32_t stream)>;
  using Observer = std::function<void(const ItemSpan& span)>;

  void on_start(Started started) { started_ = std::move(started); }
  void observe(Observer observer) { observer_ = std::move(observer); }

  // The host issues an item to a stream, now.
  void issue(std::uint32_t stream, double duration, Engine engine, std::uint32_t number = 0);
  // Holds its stream, once it is in front, until complete_external.
  void issue_external(std::uint32_t stream, std::uint32_t number);
  void complete_external(std::uint32_t stream);
  // Records what the stream holds; the record's number.
  std::uint32_t issue_record(std::uint32_t stream);
  // Later work of the stream waits until the record is complete.
  void issue_wait(std::uint32_t stream, std::uint32_t record);
  // Starts what can start, then settles the next time at which items end, if it is not after the limit.
  bool step(double limit);
  // Runs until no item ends before `time`; then it is that time.
  void advance_to(double time);
  bool is_idle() const { return held_ == 0; }
  bool is_idle(std::uint32_t stream) const;
  bool is_complete(std::uint32_t record) const { return records_[record].is_complete; }
  double now() const { return now_; }
  double next_end() const; // of items that run; infinite without any
  double last_end() const { return last_end_; }
  const BusyTimes& busy() const { return busy_; }

private:
  // Earliest first; of items ready together the one issued first.
  using Ready = std::tuple<double, std::uint64_t, std::uint32_t>; // since when, order, stream
  struct EngineState {
    bool running = false;
    double begin = 0;
    double end = 0;
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
  void start_externals();
  void end_item(Engine which);
  bool is_running(Engine which) const { return engines_[static_cast<std::size_t>(which)].running; }
  void pass_time(double until);
  void report(const Item& item, std::uint32_t stream, double begin) const;

  std::unordered_map<std::uint32_t, std::uint32_t> stream_indices_;
  std::vector<std::uint32_t> stream_numbers_; // as the issuer calls them
  std::vector<std::deque<Item>> streams_;     // the front is ready, running, or waits for a record
  std::vector<double> external_begin_;        // per stream: of the external in front
  std::vector<Record> records_;
  std::vector<std::uint32_t> unsettled_; // streams with a new front; empty but in settle_front
  std::vector<std::uint32_t> starting_;  // streams whose front is an external that has not started
  std::array<EngineState, engine_count> engines_;
  Started started_;
  Observer observer_;
  double now_ = 0;
  double last_end_ = 0;
  BusyTimes busy_;
  std::uint64_t issued_ = 0;
  std::uint64_t held_ = 0; // items in all streams
  std::uint32_t running_ = 0;
  std::uint32_t externals_ = 0; // in front of their streams
};

} // namespace kerncast::timeline
