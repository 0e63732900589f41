// One rank: its host, streams and engines, and the links that leave its GPU.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "ranks/ranks.h"
#include "timeline/host.h"

namespace kerncast::ranks {

using RankEvent = pdes::Event<RankMessage>;
using RankOutbox = pdes::Outbox<RankMessage>;

// What all ranks share: times in whole picoseconds, so that sums are exact.
struct SharedTimes {
  explicit SharedTimes(const RanksWorkload& workload);

  const RanksWorkload& workload;
  Topology topology;
  std::vector<double> kernels;
  Picoseconds lookahead = 0;

  double copy(const timeline::CopyEvent& copy) const;
  timeline::Durations durations() const;
  pdes::ProcessId coordinator() const { return topology.vertices(); }
};

class RankProcess : public pdes::Process<RankMessage> {
public:
  RankProcess(const SharedTimes& times, std::uint32_t rank);

  void handle(const RankEvent& event, RankOutbox& out) override;
  void advance(Picoseconds end, RankOutbox& out) override;
  Picoseconds next_action() const override;

  RankOutcome outcome() const;
  bool spans_cut() const { return spans_cut_; }
  void add_problems(std::vector<Problem>& problems) const;
  void add_loads(std::vector<LinkLoad>& loads) const;

private:
  // A communication between its issue and its end.
  struct Slot {
    const timeline::CommunicationEvent* event = nullptr; // null: free
    std::uint32_t position = 0;
    std::uint32_t stream = 0; // of the core
    bool waits = false;       // for others
    std::uint64_t number = 0;
    Picoseconds posted = 0;
  };
  using Partner = std::pair<std::uint32_t, std::uint32_t>;                 // rank, tag
  using Matched = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>; // rank, tag, number

  Picoseconds now() const { return static_cast<Picoseconds>(core_.now()); }
  void issue(const timeline::CommunicationEvent& event, std::size_t position, std::uint32_t stream);
  void start(const timeline::Item& item);
  void post(Slot& slot, std::uint32_t number);
  void observe(const timeline::ItemSpan& span);
  void ask_receiver(const Slot& slot, std::uint32_t number);
  void depart(const Slot& slot);
  void expect(Slot& slot, std::uint32_t number);
  void join(const Slot& slot, std::uint32_t number);
  void answer(const RankMessage& request, const Slot& receiver);
  void arrive(const RankMessage& message);
  void complete(std::uint32_t number, Picoseconds partner_ready, std::uint32_t partner);
  void check_size(const Slot& slot, const RankMessage& message);
  bool is_long(const timeline::CommunicationEvent& event) const;
  Picoseconds latency_to(std::uint32_t rank) const;

  const SharedTimes& times_;
  std::uint32_t rank_;
  timeline::EventCore core_;
  timeline::Host host_;
  bool has_begun_ = false;
  RankOutbox* out_ = nullptr; // while it acts
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::map<Partner, std::uint64_t> sent_; // messages
  std::map<Partner, std::uint64_t> expected_;
  std::map<Matched, std::uint32_t> receiving_; // slots that wait
  std::map<Matched, RankMessage> unclaimed_;   // arrived, or requests
  std::uint64_t collectives_ = 0;
  RankStatistics counts_;
  Picoseconds waited_ = 0;
  Picoseconds link_busy_[2] = {0, 0}; // by port
  std::uint64_t link_bytes_[2] = {0, 0};
  std::vector<Exchange> exchanges_;
  std::vector<RankSpan> spans_;
  std::vector<Problem> problems_;
  bool spans_cut_ = false;
};

} // namespace kerncast::ranks
