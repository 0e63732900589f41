// What collectives cost: the steps of stated algorithms, each an exchange of messages between pairs of ranks.
//
// A step ends when its slowest message has arrived: latency of the way, and bytes over the bandwidth that the
// way's fullest link leaves to each of the step's messages that cross it. Where no two messages share a link
// that is alpha + n beta, and the sum over steps the formula of R. Thakur, R. Rabenseifner, W. Gropp:
// Optimization of Collective Communication Operations in MPICH, Int. J. High Performance Computing
// Applications 19 (2005), without gamma (the arithmetic of reductions is left out).
// Left out too: pipelining between steps, ranks in another order than their numbers', messages of others.
#pragma once

#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "ranks/topology.h"
#include "timeline/communication.h"

namespace kerncast::ranks {

using timeline::Algorithm;
using timeline::CommunicationOp;

std::string_view name(CommunicationOp op);
std::string_view name(Algorithm algorithm);

// Those that can do the collective among so many ranks; empty for send and receive.
std::vector<Algorithm> algorithms(CommunicationOp op, std::uint32_t ranks);

// Messages that travel at the same time, and how often in a row.
struct ExchangeStep {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> messages; // from, to
  double share = 0;                                              // of the collective's bytes, in each message
  std::uint64_t times = 1;
};
// Of a collective among all ranks; `root` matters to broadcasts.
std::vector<ExchangeStep> steps_of(CommunicationOp op, Algorithm algorithm, std::uint32_t ranks,
                                   std::uint32_t root);

struct CollectiveCost {
  Algorithm algorithm = Algorithm::cheapest; // the one that was taken
  Picoseconds time = 0;
};

class CollectiveCosts {
public:
  explicit CollectiveCosts(const Topology& topology);

  // `wanted`: one of algorithms(), or the cheapest of them, the first of equally cheap ones.
  CollectiveCost cost(CommunicationOp op, Algorithm wanted, std::uint64_t bytes, std::uint32_t root);

private:
  Picoseconds time(CommunicationOp op, Algorithm algorithm, std::uint64_t bytes, std::uint32_t root);
  Picoseconds time(const ExchangeStep& step, double bytes);

  const Topology& topology_;
  std::vector<std::uint32_t> first_link_; // per vertex: number of its first link
  std::vector<std::uint32_t> flows_;      // per link; zero between steps
  std::map<std::tuple<CommunicationOp, Algorithm, std::uint64_t, std::uint32_t>, CollectiveCost> known_;
};

} // namespace kerncast::ranks
