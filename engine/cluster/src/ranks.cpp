#include "cluster/ranks.h"

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/serialization/binary_object.hpp>
#include <boost/serialization/vector.hpp>

#include "serialize.h"
#include "windows.h"

namespace boost::serialization {

// Of plain numbers: as bytes, which ranks of one program understand.
template <class Archive, class Plain> void serialize_plain(Archive& archive, Plain& plain) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  archive& make_binary_object(&plain, sizeof plain);
}
template <class Archive> void serialize(Archive& archive, kerncast::ranks::RankStatistics& s, unsigned) {
  serialize_plain(archive, s);
}
template <class Archive> void serialize(Archive& archive, kerncast::ranks::Exchange& e, unsigned) {
  serialize_plain(archive, e);
}
template <class Archive> void serialize(Archive& archive, kerncast::ranks::RankSpan& s, unsigned) {
  serialize_plain(archive, s);
}
template <class Archive> void serialize(Archive& archive, kerncast::ranks::Problem& p, unsigned) {
  serialize_plain(archive, p);
}
template <class Archive> void serialize(Archive& archive, kerncast::ranks::ChosenCollective& c, unsigned) {
  serialize_plain(archive, c);
}
template <class Archive> void serialize(Archive& archive, kerncast::ranks::LinkLoad& l, unsigned) {
  serialize_plain(archive, l);
}
template <class Archive> void serialize(Archive& archive, kerncast::ranks::RankOutcome& o, unsigned) {
  archive& o.rank& o.statistics& o.exchanges& o.spans;
}
template <class Archive> void serialize(Archive& archive, kerncast::ranks::RanksResult& r, unsigned) {
  archive& r.ranks& r.problems& r.collectives& r.links& r.statistics& r.spans_cut;
}

} // namespace boost::serialization

namespace kerncast::cluster {

ranks::RanksResult simulate_ranks(const Cluster& cluster, const ranks::RanksWorkload& workload,
                                  std::size_t threads) {
  parallel::Team team(threads);
  ranks::RanksResult mine = ranks::simulate_ranks(workload, execution_on<ranks::RankMessage>(cluster, team));
  if (cluster.ranks() == 1)
    return mine;
  std::vector<ranks::RanksResult> all;
  boost::mpi::gather(boost::mpi::communicator(), mine, all, 0);
  ranks::RanksResult sum;
  for (ranks::RanksResult& one : all)
    ranks::add_result(std::move(one), sum);
  return sum;
}

} // namespace kerncast::cluster
