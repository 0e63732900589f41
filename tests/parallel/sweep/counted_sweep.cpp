// A sweep on all ranks of a job, one worker each, that counts what they do.
//
//   [mpirun -n N] counted_sweep SWEEP.toml RESULTS.sqlite ROWS.csv [SERVES_FROM]
//       "found F untold U root R": hit rates that were found for a group, units that a rank computed though
//       it neither had found those of the group nor was told them, and whether rank 0, which only serves from
//       so many ranks on, computed any
#include <cstdio>
#include <cstdlib>
#include <set>

#include "sweep/computer.h"
#include "sweep/keeper.h"
#include "sweep/prepare.h"

namespace {

using namespace kerncast;

// Of this rank.
struct Counts {
  std::set<std::uint32_t> known; // groups
  int found = 0;
  int untold = 0;
  int units = 0;

  void add(const app::WorkUnit& unit) {
    found += unit.finds ? 1 : 0;
    untold += unit.finds || !unit.shared.empty() || known.contains(unit.group) ? 0 : 1;
    known.insert(unit.group);
    ++units;
  }
};

Counts distribute_counted(app::Computer& computer, app::Keeper* keeper, const cluster::Cluster& cluster,
                          int root_serves_from) {
  Counts counts;
  cluster.agree({keeper == nullptr || keeper->begin() ? 0 : 1, "nothing to do\n"});
  cluster::distribute(cluster, {.threads = 1,
                                .next = [&](const std::string& report) { return keeper->next(report); },
                                .compute =
                                    [&](const std::string& bytes, const cluster::Emit& emit) {
                                      const app::WorkUnit unit = app::decode_unit(bytes);
                                      counts.add(unit);
                                      return computer.compute(unit, emit);
                                    },
                                .deliver = [&](const std::vector<std::string>& rows) { keeper->keep(rows); },
                                .tick = [] {},
                                .root_serves_from = root_serves_from});
  return counts;
}

} // namespace

int main(int argc, char** argv) {
  const cluster::Cluster cluster(argc, argv);
  const app::StopRequest stop({});
  auto sweep = app::prepare_sweep(argv[1], configs::ConfigPath::standard(), 1, stop, cluster);
  if (!sweep)
    return 1;
  std::unique_ptr<app::Keeper> keeper;
  if (cluster.is_root())
    keeper = *app::Keeper::open(argv[2], sweep->job, stop, static_cast<std::size_t>(cluster.ranks()));
  app::Computer computer(sweep->job, sweep->applications, std::nullopt, stop);
  const Counts mine = distribute_counted(computer, keeper.get(), cluster,
                                         argc > 4 ? std::atoi(argv[4]) : cluster::root_only_serves_from);
  int found = 0, untold = 0;
  for (const std::string& text : cluster.gather(std::to_string(mine.found)))
    found += std::atoi(text.c_str());
  for (const std::string& text : cluster.gather(std::to_string(mine.untold)))
    untold += std::atoi(text.c_str());
  if (!cluster.is_root())
    return 0;
  std::printf("found %d untold %d root %d\n", found, untold, mine.units > 0 ? 1 : 0);
  return keeper->finish(argv[3], {}) ? 0 : 1;
}
