// Work of which nobody knows beforehand how long it takes, in units of any kind, as bytes.
//
// Rank 0 makes the units, one at a time, for whichever thread of whichever rank asks next. What a unit gives
// comes back to rank 0 in no particular order, from other groups of ranks by way of their collectors
// (collectors.h). Rank 0 answers on a thread of its own: however long it takes to deliver, nobody waits for a
// unit. No rank holds more than the units that it works on. A rank that dies ends the job: the MPI runtime
// stops the others.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cluster/cluster.h"

namespace kerncast::cluster {

using Emit = std::function<void(std::string result)>; // may be called from any thread, any number of times

// How long a worker of another rank waits that is told to ask rank 0 later: 1,024 ranks then ask 10,000 times
// a second.
inline constexpr std::chrono::milliseconds asks_root_again{100};

// From so many ranks on two threads of rank 0 only answer and deliver.
inline constexpr int root_only_serves_from = 128;

// What a worker is told that asks for a unit.
struct Answer {
  enum class Kind : char {
    unit = 'u',
    later = 'l',   // there may be one when others have reported: it asks again in a while
    nothing = 'n', // it is done
  };
  Kind kind = Kind::nothing;
  std::string unit;
};

struct Distribution {
  std::size_t threads = 0; // of each rank; 0: as many as the machine has
  // Rank 0, one call at a time: for a worker with this report of its unit before; empty: it had none since it
  // asked last.
  std::function<Answer(const std::string& report)> next;
  // Any thread of any rank; returns the report, which rank 0 has with the worker's next question.
  std::function<std::string(const std::string& unit, const Emit& emit)> compute;
  // Rank 0, on the thread that called distribute: all results that are there, at least one.
  std::function<void(const std::vector<std::string>& results)> deliver;
  // Likewise, several times a second while there is work.
  std::function<void()> tick;
  int root_serves_from = root_only_serves_from; // ranks, at least 2
};

// Called by all ranks; returns on rank 0 when everything was delivered. Before it is called again all ranks
// must have met (Cluster::agree): a rank that is ahead would ask for units that are no longer there.
void distribute(const Cluster& cluster, const Distribution& work);

} // namespace kerncast::cluster
