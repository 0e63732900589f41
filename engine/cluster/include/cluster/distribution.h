// Work of which nobody knows beforehand how long it takes, in units of any kind, as bytes.
//
// Rank 0 makes the units, one at a time, for whichever thread of whichever rank asks next. What a unit gives
// comes back to rank 0 in no particular order, from other groups of ranks by way of their collectors
// (collectors.h). Rank 0 answers on a thread of its own: however long it takes to deliver, nobody waits for a
// unit. No rank holds more than the units that it works on. A rank that dies ends the job: the MPI runtime
// stops the others.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster.h"

namespace kerncast::cluster {

using Emit = std::function<void(std::string result)>; // may be called from any thread, any number of times

struct Distribution {
  std::size_t threads = 0; // of each rank; 0: as many as the machine has
  // Rank 0, one call at a time: the next unit for a worker that had `before` (empty: none), nothing if no
  // more are given out.
  std::function<std::optional<std::string>(const std::string& before)> next;
  // Any thread of any rank.
  std::function<void(const std::string& unit, const Emit& emit)> compute;
  // Rank 0, on the thread that called distribute: all results that are there, at least one.
  std::function<void(const std::vector<std::string>& results)> deliver;
  // Likewise, several times a second while there is work.
  std::function<void()> tick;
};

// Called by all ranks; returns on rank 0 when everything was delivered. Before it is called again all ranks
// must have met (Cluster::agree): a rank that is ahead would ask for units that are no longer there.
void distribute(const Cluster& cluster, const Distribution& work);

} // namespace kerncast::cluster
