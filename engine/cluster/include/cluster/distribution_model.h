// How long `distribute` takes on many ranks: its messages and rows as discrete events (engine/pdes), with
// what each costs measured on one machine.
//
// Each rank has one worker. A worker asks rank 0 for a unit, computes its rows, sends them to its collector
// when 0.2 s have passed and at the end, and asks again. What a group shares is found by one worker; rank 0
// gives it to others with their first unit, and tells workers to ask again in 0.1 s if all that is left waits
// for it. What a group needs besides, whichever rank computes it, is prepared by ranks in turn before all ask
// for their first unit, and by each other rank before its first unit of the group. Hearing
// messages and delivering rows takes time from the worker of the rank that does it; rank 0 of many ranks has
// none (root_only_serves_from). Rank 0 hears one message at a time, questions first, and sleeps when there is
// none; it delivers on another thread. Left out: messages that delay one another in the
// network, ranks that are slower than others.
#pragma once

#include <cstdint>
#include <vector>

#include "pdes/event.h"

namespace kerncast::cluster {

using Nanoseconds = pdes::Time;

struct DistributionCosts {
  Nanoseconds start = 0;       // until ranks prepare their groups
  Nanoseconds latency = 1;     // of a message to another rank; at least 1
  Nanoseconds wake = 0;        // rank 0 hears a message after none was there
  Nanoseconds answer = 0;      // rank 0: hears that a worker asks, and sends it a unit
  Nanoseconds shared = 0;      // and besides hears or sends what a group shares
  Nanoseconds hear = 0;        // a message with results: who receives it
  Nanoseconds hear_row = 0;    // and each row in it
  Nanoseconds deliver = 0;     // a message with results: rank 0 commits its rows
  Nanoseconds deliver_row = 0; // and each row
};

// Rows that are computed together; all take as long.
struct ModelUnit {
  std::uint32_t rows = 1;
  Nanoseconds row = 0;
  std::uint32_t group = 0;
  // Of the group, the same for all its units:
  Nanoseconds shared = 0;  // found by the first worker that gets something to do of it
  Nanoseconds prepare = 0; // by each rank that does, and by rank `group` modulo ranks at the start
};

struct ModelledJob {
  Nanoseconds end = 0;          // the last row is delivered
  Nanoseconds computing = 0;    // of all units, and once for each group what it needs
  Nanoseconds listening = 0;    // rank 0 hears and answers
  Nanoseconds delivering = 0;   // rank 0 delivers
  Nanoseconds longest_wait = 0; // of a worker that asked, before rank 0 heard it
  std::uint64_t messages = 0;   // that rank 0 heard

  // The share of the ranks' time that is spent computing.
  double efficiency(int ranks) const {
    return static_cast<double>(computing) / (static_cast<double>(end) * ranks);
  }
};

// Units are given out as GroupedQueue does, which knows what they cost.
ModelledJob model_distribution(const std::vector<ModelUnit>& units, int ranks,
                               const DistributionCosts& costs);

} // namespace kerncast::cluster
