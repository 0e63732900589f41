// One prediction on the threads of all ranks: its parts are worked on by whoever is free.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cluster/cluster.h"

namespace kerncast::app {

// A rank was asked to stop before all parts were there; thrown on all ranks.
struct StoppedTogether {};

struct Together {
  const cluster::Cluster& cluster;
  std::size_t threads = 0;       // of this rank
  std::function<bool()> stopped; // this rank was asked to

  // Each called by all ranks: what `part` gives for each number below `count`, by number. It gives the same
  // wherever it is called.
  using Part = std::function<std::string(std::size_t)>;
  std::vector<std::string> on_root(std::size_t count, const Part& part) const; // nothing on other ranks
  std::vector<std::string> on_all(std::size_t count, const Part& part) const;
};

} // namespace kerncast::app
