// What ranks of an application tell each other, as their streams hold it.
#pragma once

#include <cstdint>

namespace kerncast::timeline {

enum class CommunicationOp : std::uint8_t {
  send,
  receive,
  broadcast,
  all_reduce,
  reduce_scatter,
  all_gather,
  all_to_all,
  barrier
};

// Of a collective; the cheapest one of those that fit where the application states none.
enum class Algorithm : std::uint8_t {
  cheapest,
  ring,
  recursive_doubling,
  recursive_halving,
  binomial_tree,
  scatter_all_gather,
  pairwise,
  bruck,
  dissemination
};

struct CommunicationEvent {
  CommunicationOp op = CommunicationOp::send;
  std::uint32_t peer = 0;  // of send and receive; the root of a broadcast
  std::uint32_t tag = 0;   // of send and receive
  std::uint64_t bytes = 0; // of a message; of the whole buffer of a rank for collectives; 0 for a barrier
  std::uint32_t stream = 0;
  bool through_host = false; // copied to the host before, and from it after
  Algorithm algorithm = Algorithm::cheapest;
};

// What stands between the begin and the end of a group starts together; its stream goes on when all have
// ended (ncclGroupStart, ncclGroupEnd).
struct GroupEvent {
  bool begins = true;
  std::uint32_t stream = 0;
};

inline bool is_collective(CommunicationOp op) {
  return op != CommunicationOp::send && op != CommunicationOp::receive;
}

} // namespace kerncast::timeline
