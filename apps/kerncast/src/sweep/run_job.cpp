#include "sweep/run_job.h"

#include <memory>
#include <thread>

#include "cluster/distribution.h"
#include "outcome.h"
#include "sweep/computer.h"
#include "sweep/keeper.h"

namespace kerncast::app {
namespace {

Expected<std::unique_ptr<Keeper>> open_keeper(const SweepJob& job, const SweepRun& run,
                                              const StopRequest& stop, const cluster::Cluster& cluster) {
  if (!cluster.is_root())
    return nullptr;
  const std::size_t threads = run.threads != 0 ? run.threads : std::thread::hardware_concurrency();
  return Keeper::open(run.store, job, stop, threads * static_cast<std::size_t>(cluster.ranks()));
}

} // namespace

Expected<SweepOutcome> run_sweep_job(PreparedSweep& sweep, const SweepRun& run, const StopRequest& stop,
                                     const cluster::Cluster& cluster) {
  const Expected<std::unique_ptr<Keeper>> opened = open_keeper(sweep.job, run, stop, cluster);
  // No rank may begin to work for a file that cannot be written.
  const cluster::Status status =
      cluster.agree(opened ? cluster::Status{} : cluster::Status{exit_bad_input, render(opened.error())});
  if (!opened)
    return tl::unexpected(opened.error());
  if (status.exit_code != exit_done)
    return SweepOutcome{};
  Keeper* const keeper = opened->get(); // rank 0 only
  Computer computer(sweep.job, sweep.applications, run.cache, stop);
  const cluster::Distribution work{
      .threads = run.threads,
      .next = [&](const std::string& report) { return keeper->next(report); },
      .compute = [&](const std::string& unit,
                     const cluster::Emit& emit) { return computer.compute(decode_unit(unit), emit); },
      .deliver = [&](const std::vector<std::string>& rows) { keeper->keep(rows); },
      .tick = [&] { keeper->show(); }};
  // Rank 0 says whether there is another round.
  const cluster::Status over{exit_stopped, {}};
  while (cluster.agree(cluster.is_root() && !keeper->begin() ? over : cluster::Status{}).exit_code ==
         exit_done)
    distribute(cluster, work);
  // Rows are missing wherever one rank was asked to stop.
  const cluster::Status stopped =
      cluster.agree(stop.is_made() ? cluster::Status{exit_stopped, stop.reason()} : cluster::Status{});
  if (!cluster.is_root())
    return SweepOutcome{};
  computer.finish();
  return keeper->finish(run.csv, stopped.message);
}

} // namespace kerncast::app
