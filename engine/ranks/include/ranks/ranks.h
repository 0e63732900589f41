// The ranks of an application on the GPUs of a cluster: each is a logical process of pdes/simulation.h with a
// host, streams and engines (timeline/host.h), and so are nodes and switches, which own the links.
//
// A message is cut through: it holds every link of its way for its bytes over the link's bandwidth, one
// message at a time in the order of arrival, and its head goes on after the link's latency. Alone it takes
// the sum of latencies and its bytes over the least bandwidth (R. Hockney: The communication challenge for
// MPP, Parallel Computing 20, 1994). A send ends when its bytes have left the GPU; longer ones than
// eager_bytes begin when their receiver is known to wait, a round trip of latencies later. Messages between
// two ranks with one tag match in their order. A collective begins when all ranks have come to it, ends for
// all at once (ranks/collectives.h) and does not meet other messages. Through the host, a copy precedes and
// another one follows.
// Left out: limits of buffers, flow control, the host's time to issue communication.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "configs/cluster.h"
#include "pdes/simulation.h"
#include "ranks/collectives.h"
#include "ranks/topology.h"
#include "timeline/event_core.h"
#include "timeline/rank_program.h"

namespace kerncast::ranks {

struct RankMessage {
  enum class Kind : std::uint8_t {
    head,    // of a message, at a vertex on its way
    arrived, // its end, at the receiver
    request, // a long message's sender is ready
    grant,   // and its receiver
    joined,  // a collective: a rank has come to it
    done,    // it has ended
  };
  Kind kind = Kind::head;
  std::uint8_t hop = 0; // head: the place of the link in the route
  CommunicationOp op = CommunicationOp::send;
  Algorithm algorithm = Algorithm::cheapest;
  std::uint32_t from = 0;
  std::uint32_t to = 0; // root of a broadcast for joined; last rank to come for done
  std::uint32_t tag = 0;
  std::uint32_t slot = 0;     // of the sender's communication, or of the rank's that joined
  std::uint32_t position = 0; // of the event in the program
  std::uint64_t number = 0;   // of messages between these ranks with this tag; of collectives
  std::uint64_t bytes = 0;
  Picoseconds begin = 0; // when the partner was ready: for joined and done, when the (last) rank had come
  Picoseconds tail = 0;  // head: when the message's end comes to the link
};

// Of one rank. Times in microseconds.
struct RankStatistics {
  double end_us = 0;
  double compute_us = 0;       // a kernel runs
  double copy_us = 0;          // a copy runs
  double busy_us = 0;          // a kernel or a copy
  double communication_us = 0; // something is sent, received or shared by all
  double exposed_us = 0;       // likewise, while neither a kernel nor a copy runs
  double waiting_us = 0;       // part of communication, added over streams: the partner was not there yet
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t collectives = 0;
};

// A communication that depended on others: a receive, a collective, a send that asks.
struct Exchange {
  Picoseconds end = 0;
  Picoseconds ready = 0;   // when the later one of both sides was there
  std::uint32_t later = 0; // whose rank that was
};

// What a rank does, for a timeline.
struct RankSpan {
  timeline::Item::Kind kind = timeline::Item::Kind::work;
  timeline::Engine engine = timeline::Engine::kernels;
  std::uint32_t stream = 0;
  std::uint32_t number = 0; // kernels: the distinct launch; communication: the event's position
  std::uint32_t branch = 0; // of the stream: of a prologue (timeline/dependent_launch.h)
  Picoseconds begin = 0;
  Picoseconds end = 0;
};

// Something is wrong with an application.
struct Problem {
  enum class Kind : std::uint8_t {
    never_ends,   // the rank's communication has no partner that comes
    not_received, // its message arrived and was not asked for
    other_size,   // of the message, than the receiver expects
    other_op,     // than the first rank that came to the collective
    absent,       // a collective: the lowest rank that never comes; `bytes` ranks never do
  };
  Kind kind = Kind::never_ends;
  CommunicationOp op = CommunicationOp::send;
  std::uint32_t rank = 0;
  std::uint32_t position = 0;
  std::uint32_t other_rank = 0;     // never_ends: who is waited for, the rank itself if it waits for all
  std::uint32_t other_position = 0; // of the others
  std::uint64_t bytes = 0;
  std::uint64_t other_bytes = 0;
};

// What one process leaves: of a rank all of it, of the coordinator what it found and how collectives went.
struct ChosenCollective {
  CommunicationOp op = CommunicationOp::barrier;
  Algorithm algorithm = Algorithm::cheapest;
  bool chosen = false; // by cost
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  Picoseconds time = 0; // of one, from the last rank's coming
};

struct RankOutcome {
  std::uint32_t rank = 0;
  RankStatistics statistics;
  std::vector<Exchange> exchanges; // that took time, in the order of their ends
  std::vector<RankSpan> spans;
};

struct LinkLoad {
  LinkKind kind = LinkKind::peer;
  double busiest_us = 0; // of the link of this kind that is busy longest
  std::uint64_t bytes = 0;
};

struct RanksResult {
  std::vector<RankOutcome> ranks; // ascending; those of this process
  std::vector<Problem> problems;
  std::vector<ChosenCollective> collectives;
  std::vector<LinkLoad> links; // of messages, not of collectives
  pdes::Statistics statistics;
  bool spans_cut = false;
};

struct RanksWorkload {
  const timeline::RankProgram& program;
  const std::vector<double>& kernel_time_us; // by distinct launch
  const configs::Gpu& gpu;
  const configs::Cluster& cluster;                    // links have numbers
  std::size_t spans_per_rank = 0;                     // recorded at most
  std::span<const timeline::KernelShare> shares = {}; // by distinct launch
  std::span<const timeline::KernelParts> parts = {};  // likewise; none: no launch is early
};

// The same bytes for every execution; with several processes of a job, those of this one's ranks. What it
// finds of collectives and links is that of this process: add_result puts results together.
RanksResult simulate_ranks(const RanksWorkload& workload, const pdes::Execution<RankMessage>& execution = {});
void add_result(RanksResult other, RanksResult& into);

// Where the time of the rank that ends last comes from: back from its end to its last exchange, from there to
// the rank that came to it last, and so on. What a rank does beside exchanges counts as its own.
struct CriticalPath {
  std::vector<std::uint32_t> ranks; // from the one that ends last back to the first
  double own_us = 0;                // of ranks on the path
  double transfer_us = 0;           // exchanges, since all were there
};
CriticalPath critical_path(const RanksResult& result);

} // namespace kerncast::ranks
