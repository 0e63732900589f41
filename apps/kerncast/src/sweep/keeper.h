// Rank 0 of a sweep: the file of its rows, and what is still to be done.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/distribution.h"
#include "cluster/grouped_queue.h"
#include "progress.h"
#include "sweep/job.h"
#include "sweep/search.h"
#include "sweep/stop_request.h"
#include "sweep/store.h"
#include "sweep/sweep_outcome.h"
#include "sweep/units.h"

namespace kerncast::app {

class Keeper {
public:
  // Opens the file. `job` and `stop` must outlive the object. `workers`: threads of all ranks.
  static Expected<std::unique_ptr<Keeper>> open(const std::filesystem::path& file, const SweepJob& job,
                                                const StopRequest& stop, std::size_t workers);
  Keeper(const SweepJob& job, const StopRequest& stop, sweep::ResultStore store, std::size_t workers);

  // The next round: points that must be known before others are chosen. Of a sweep there is one, of all
  // points. False: there is none, or the job ends early.
  bool begin();

  // By any thread of rank 0, one at a time, also while rows are kept.
  // `report`: as Computer makes it.
  cluster::Answer next(const std::string& report);

  // At once, by one thread: rows that came together cost one commit. Messages as Computer makes them.
  void keep(const std::vector<std::string>& messages);

  // Who stops a job of many ranks may not wait until rank 0 has heard from all: some may be lost.
  void show();

  // `stopped`: why the job ends early; empty: it does not, and all rows go to `csv`, if that is named.
  Expected<SweepOutcome> finish(const std::filesystem::path& csv, const std::string& stopped);

private:
  bool is_complete() const { return outcome_.there + outcome_.computed == outcome_.rows; }
  void fail_with(Diagnostics errors);
  std::vector<std::uint32_t> next_points();
  std::map<std::uint32_t, double> costs();
  void hear(const UnitReport& report);
  Expected<sweep::Analysis> analyse() const;
  Expected<void> read_all(const std::filesystem::path& csv);

  const SweepJob& job_;
  const StopRequest& stop_;
  sweep::ResultStore store_;
  std::size_t workers_;
  std::optional<sweep::Search> search_;
  bool began_ = false;
  bool said_ = false; // that the job ends early
  MissingUnits missing_;
  std::optional<cluster::GroupedQueue> queue_;  // of missing_.units
  std::map<std::uint32_t, std::string> shared_; // what was found, of groups with units left
  bool given_up_ = false;                       // a worker was asked to stop
  std::atomic<bool> failed_ = false;
  Diagnostics errors_;
  SweepOutcome outcome_;
  std::uint64_t shown_from_ = 0; // rows computed before this round
  std::unique_ptr<Progress> progress_;
};

} // namespace kerncast::app
