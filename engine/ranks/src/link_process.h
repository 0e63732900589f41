// A node or a switch: the links that leave it, each with one message at a time in the order of arrival.
#pragma once

#include <vector>

#include "rank_process.h"

namespace kerncast::ranks {

class LinkProcess : public pdes::Process<RankMessage> {
public:
  LinkProcess(const Topology& topology, Vertex vertex)
      : topology_(topology), vertex_(vertex), ports_(topology.ports(vertex)) {}

  void handle(const RankEvent& event, RankOutbox& out) override;
  void add_loads(std::vector<LinkLoad>& loads) const;

private:
  struct Port {
    Picoseconds free_at = 0;
    Picoseconds busy = 0;
    std::uint64_t bytes = 0;
  };

  const Topology& topology_;
  Vertex vertex_;
  std::vector<Port> ports_;
};

} // namespace kerncast::ranks
