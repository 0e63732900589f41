// The sequential core of the timeline: streams in order, engines one item at a time (but for kernels that
// share the GPU, sharing.h), and the clock. Each of several GPUs has engines of its own. Records of CUDA
// events and waits for them stand in the streams between the items and take no time. What others have to
// complete (a message's arrival) holds its stream without an engine.
//
// A kernel may be issued in pieces with marks between them: what follows a piece goes on in the room that it
// had, at once or when a wait between the two ends, whatever else is ready by then.
//
// Times are in any one unit.
//
// A copy from one GPU to another holds an engine of each, and starts when it is the first of those that are
// ready at both. All engines take what was ready first, so copies never wait for one another in a circle.
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

#include "timeline/sharing.h"

namespace kerncast::timeline {

// to_peers and to_network move messages: to GPUs of the node, and to the network.
enum class Engine : std::uint8_t {
  copy_to_device,
  copy_from_device,
  copy_within_device,
  kernels,
  to_peers,
  to_network,
  peer_copy,    // from this GPU's memory to that of another one
  peer_arrival, // the other end of such a copy, of the GPU whose memory is written
  count_
};
inline constexpr std::size_t engine_count = static_cast<std::size_t>(Engine::count_);

// What a stream holds: a launch or copy, between its issue by the host and its end, or a mark.
struct Item {
  enum class Kind : std::uint8_t { work, external, record, wait };
  enum class Piece : std::uint8_t { whole, first, middle, last };
  Kind kind = Kind::work;
  Engine engine = Engine::kernels; // of work
  std::uint8_t device = 0;
  Piece piece : 2 = Piece::whole;  // of work
  bool is_prologue : 1 = false;    // of work that may come before the end of the kernel before it
  bool is_node : 1 = false;        // of a graph
  bool ends_kernel : 1 = false;    // of a wait: what is behind it comes behind a kernel that ends with it
  std::uint32_t number = 0;        // of record and wait: the record; of others: the issuer's
  double duration = 0;             // of work that nothing slows down
  std::uint64_t order : 56 = 0;    // of issue
  std::uint64_t to_device : 8 = 0; // of a peer copy
};

// What an observer sees of an item: from its start to its end, without what it waited for before. Pieces are
// seen as one, but for a prologue and what follows it.
struct ItemSpan {
  Item::Kind kind = Item::Kind::work;
  Engine engine = Engine::kernels; // of work
  std::uint8_t device = 0;
  std::uint32_t stream = 0;
  std::uint32_t number = 0;
  double begin = 0;
  double end = 0;
  bool is_prologue = false;
  std::uint32_t branch = 0; // of the stream, where it has several (dependent_launch.h)
};

// The one chain of items and launches that leads to a point of time: each began when the one before had
// ended. Its parts add up to that time.
struct CriticalPath {
  double kernels = 0;
  double copies = 0;
  double launches = 0; // overhead, on the host and between kernels
  double communication = 0;
};

// Between what is in front of a stream and the start of work that nothing else holds.
struct StartDelays {
  double kernel_gap = 0; // from the end of a kernel to the start of the next one of its stream, but nodes
  double node = 0;       // of a graph: from the end of what it waited for
};

// Time in which something of a kind was under way.
struct BusyTimes {
  double any = 0;           // on some engine
  double kernels = 0;       //
  double copies = 0;        // on some copy engine, peer copies too
  double gpu = 0;           // a kernel or a copy
  double communication = 0; // messages leaving, or something that others complete
  double exposed = 0;       // communication, and no kernel or copy
};

class EventCore {
public:
  // Called when an item of a number starts: work of the two engines of messages, and externals.
  using Started = std::function<void(const Item& item, std::uint32_t stream)>;
  using Observer = std::function<void(const ItemSpan& span)>;

  EventCore();

  void on_start(Started started) { started_ = std::move(started); }
  void observe(Observer observer) { observer_ = std::move(observer); }
  // Before anything is issued: how many GPUs there are, each with all engines.
  void have_devices(std::uint32_t devices) {
    engines_.resize(devices * engine_count);
    held_of_.resize(devices);
  }
  // Before anything is issued: which kernels run together.
  void share(const Concurrency& concurrency) { concurrency_ = concurrency; }
  // Before anything is issued: both kinds of work take turns on one engine, that of `by`.
  void serve(Engine work, Engine by) { served_by_[static_cast<std::size_t>(work)] = by; }
  // Before anything is issued.
  void delay(const StartDelays& delays) { delays_ = delays; }
  // Items end at whole numbers, later rather than earlier.
  void end_at_whole_times() { whole_times_ = true; }
  // What leads to what is issued from now on.
  void set_cause(const CriticalPath& cause) { cause_ = cause; }

  // The host issues an item to a stream, now.
  void issue(std::uint32_t stream, double duration, Engine engine, std::uint32_t number = 0,
             std::uint8_t device = 0, bool is_node = false);
  void issue_peer_copy(std::uint32_t stream, double duration, std::uint32_t number, std::uint8_t from,
                       std::uint8_t to, bool is_node = false);
  // A piece of kernel `number`. Behind the last one of a prologue comes the wait for the kernel before.
  void issue_piece(std::uint32_t stream, double duration, Item::Piece piece, bool is_prologue,
                   std::uint32_t number, std::uint8_t device, bool is_node = false);
  // Holds its stream, once it is in front, until complete_external.
  void issue_external(std::uint32_t stream, std::uint32_t number);
  void complete_external(std::uint32_t stream);
  // Records what the stream holds; the record's number.
  std::uint32_t issue_record(std::uint32_t stream, std::uint8_t device);
  // Later work of the stream waits until the record is complete.
  void issue_wait(std::uint32_t stream, std::uint32_t record, std::uint8_t device, bool ends_kernel = false);
  // Starts what can start, then settles the next time at which items end, if it is not after the limit.
  bool step(double limit);
  // Runs until no item ends before `time`; then it is that time.
  void advance_to(double time);
  bool is_idle() const { return held_ == 0; }
  bool is_idle(std::uint32_t stream) const;
  // Which of all issues was the stream's latest, counted from 1; 0: it has none.
  std::uint64_t last_issue(std::uint32_t stream) const;
  bool is_device_idle(std::uint8_t device) const { return held_of_[device] == 0; }
  bool is_complete(std::uint32_t record) const { return records_[record].is_complete; }
  double now() const { return now_; }
  double next_change() const; // an item's end or the end of a delay; infinite without any
  double last_end() const { return last_end_; }
  const BusyTimes& busy() const { return busy_; }
  bool has_shared() const { return has_shared_; }             // kernels have run together, by their shares
  bool has_run_together() const { return has_run_together_; } // as SimulatedTogether says
  double early_prologues() const { return early_prologues_; } // time of prologues before what they wait for
  // To what ended last, to the latest change in front of a stream, and to a complete record.
  const CriticalPath& path() const { return last_path_; }
  CriticalPath path_of_stream(std::uint32_t stream) const;
  const CriticalPath& path_of_record(std::uint32_t record) const { return records_[record].path; }

private:
  // Earliest first; of items ready together the one issued first.
  using Ready = std::tuple<double, std::uint64_t, std::uint32_t>; // since when, order, stream
  struct Running {
    std::uint32_t stream = 0;
    double begin = 0;
    double end = 0;
    CriticalPath path;        // to its begin
    std::size_t together = 0; // in EngineState::together
  };
  struct Kept { // room, between two pieces
    std::uint32_t stream = 0;
    KernelShare share;
  };
  struct EngineState {
    std::vector<Running> running; // in the order of their starts; more than one: kernels
    std::vector<Kept> kept;
    double slowdown = 1;               // of what runs
    std::vector<BegunKernel> together; // kernels since the engine was idle; none: shares decide
    double together_since = 0;
    bool asks_again = false; // as one more has begun
    bool receives = false;   // a copy from another GPU
    CriticalPath freed;      // to what ended last
    double freed_at = 0;
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  };

  struct Record {
    bool is_complete = false;
    double at = 0;                      // of its completion
    CriticalPath path;                  // to its completion
    std::vector<std::uint32_t> waiting; // streams whose front waits for it
  };

  std::uint32_t stream_index(std::uint32_t stream);
  void push(std::uint32_t stream, Item item);
  void settle_front(std::uint32_t stream);
  bool passes(const Item& mark, std::uint32_t stream);
  void pass_wait(std::uint32_t stream, const Record& record);
  std::size_t server_of(Engine work, std::uint8_t device) const {
    return device * engine_count + static_cast<std::size_t>(served_by_[static_cast<std::size_t>(work)]);
  }
  EngineState& server_of(const Item& item) { return engines_[server_of(item.engine, item.device)]; }
  EngineState& receiver_of(const Item& peer_copy) {
    return engines_[server_of(Engine::peer_arrival, peer_copy.to_device)];
  }
  void pop_front(std::uint32_t stream);
  double delay_of(const Item& front, std::uint32_t stream) const;
  void start_ready_items();
  bool starts_item(EngineState& engine);
  void go_on(std::uint32_t stream);
  void run(EngineState& engine, std::uint32_t stream, const CriticalPath& path);
  bool has_room(const EngineState& engine, const Item& next) const;
  KernelShare share_of(const Item& item) const;
  KernelShare share_of(const EngineState& engine) const;
  void set_speed(EngineState& engine);
  bool runs_together(const Item& item) const;
  void join(EngineState& engine, const Item& item);
  void settle_together(EngineState& engine);
  void go_on_by_shares(EngineState& engine);
  double end_time(double time) const;
  void start_externals();
  void end_items(EngineState& engine);
  void end_item(EngineState& engine, const Running& ended);
  bool is_running(Engine work) const { return running_of_[static_cast<std::size_t>(work)] > 0; }
  void pass_time(double until);
  void report(const Item& item, std::uint32_t stream, double begin) const;
  void report_work(std::uint32_t stream);

  std::unordered_map<std::uint32_t, std::uint32_t> stream_indices_;
  std::vector<std::uint32_t> stream_numbers_; // as the issuer calls them
  std::vector<std::deque<Item>> streams_;     // the front is ready, running, or waits for a record
  std::vector<double> begin_;                 // per stream: of what is seen of the item in front; none: < 0
  std::vector<std::uint64_t> last_issue_;     // per stream
  std::vector<CriticalPath> paths_;           // per stream: to the latest change of its front
  std::vector<double> kernel_end_;            // per stream: of its latest kernel
  std::vector<Record> records_;
  std::vector<std::uint32_t> unsettled_; // streams with a new front; empty but in settle_front
  std::vector<std::uint32_t> starting_;  // streams whose front is an external that has not started
  std::vector<Running> ended_;           // kept by end_items from call to call
  std::vector<EngineState> engines_ = std::vector<EngineState>(engine_count); // of device 0, of device 1 ...
  std::array<Engine, engine_count> served_by_;
  std::array<std::uint32_t, engine_count> running_of_{}; // items, by what they do
  Concurrency concurrency_;
  StartDelays delays_;
  bool whole_times_ = false;
  bool has_shared_ = false;
  bool has_run_together_ = false;
  double early_prologues_ = 0;
  CriticalPath cause_; // of what happens now
  CriticalPath last_path_;
  Started started_;
  Observer observer_;
  double now_ = 0;
  double last_end_ = 0;
  BusyTimes busy_;
  std::uint64_t issued_ = 0;
  std::uint64_t held_ = 0;                // items in all streams
  std::vector<std::uint64_t> held_of_{0}; // of these by device
  std::uint32_t running_ = 0;
  std::uint32_t externals_ = 0; // in front of their streams
};

} // namespace kerncast::timeline
