// Where ranks meet for a collective: the n-th of each is the n-th of all.
#pragma once

#include <map>
#include <vector>

#include "rank_process.h"

namespace kerncast::ranks {

class Coordinator : public pdes::Process<RankMessage> {
public:
  explicit Coordinator(const Topology& topology) : topology_(topology), costs_(topology) {}

  void handle(const RankEvent& event, RankOutbox& out) override;

  // Collectives that some ranks have not come to are left.
  void add_problems(std::vector<Problem>& problems) const;
  std::vector<ChosenCollective> collectives() const;

private:
  struct Meeting {
    RankMessage first;
    RankMessage last;                 // to come
    std::vector<std::uint32_t> slots; // by rank
    std::vector<bool> is_here;        // likewise
    std::uint32_t here = 0;
  };
  using Kinds = std::tuple<CommunicationOp, std::uint64_t, Algorithm, bool>; // op, bytes, algorithm, chosen

  void compare(const Meeting& meeting, const RankMessage& joined);
  void end(const Meeting& meeting, RankOutbox& out);

  const Topology& topology_;
  CollectiveCosts costs_;
  std::map<std::uint64_t, Meeting> meetings_;
  std::map<Kinds, ChosenCollective> ended_;
  std::vector<Problem> problems_;
};

} // namespace kerncast::ranks
