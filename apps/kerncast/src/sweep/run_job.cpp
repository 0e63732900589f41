#include "sweep/run_job.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "cluster/distribution.h"
#include "outcome.h"
#include "sweep/predictor.h"
#include "sweep/progress.h"

namespace kerncast::app {
namespace {

// A GPU at one point.
struct Variant {
  Expected<configs::Gpu> gpu;
  std::string hash;
};

// GPUs of points, kept where they are not too many: every application needs them.
class Variants {
public:
  explicit Variants(const sweep::Plan& plan)
      : plan_(plan), known_(plan.points.size() <= most_kept ? plan.points.size() : 0) {}

  std::shared_ptr<const Variant> at(std::uint32_t point) {
    if (known_.empty())
      return make(point);
    {
      const std::lock_guard lock(mutex_);
      if (known_[point])
        return known_[point];
    }
    auto made = make(point);
    const std::lock_guard lock(mutex_);
    return known_[point] = std::move(made);
  }

private:
  static constexpr std::size_t most_kept = 4096; // some 100 MB

  std::shared_ptr<const Variant> make(std::uint32_t point) const {
    Expected<configs::Gpu> gpu = plan_.gpu_of(plan_.points[point]);
    std::string hash = gpu ? sweep::hash_of(*gpu).text() : "";
    return std::make_shared<const Variant>(Variant{std::move(gpu), std::move(hash)});
  }

  const sweep::Plan& plan_;
  std::mutex mutex_; // guards what follows
  std::vector<std::shared_ptr<const Variant>> known_;
};

// Any thread of any rank: rows of a unit.
class Computer {
public:
  Computer(const SweepJob& job, const SweepRun& run, const StopRequest& stop)
      : job_(job), stop_(stop), variants_(job.plan), simulations_(run.cache) {
    for (const SweepApplication& app : job.apps)
      predictors_.emplace_back(app, simulations_);
  }

  void compute(const WorkUnit& unit, const cluster::Emit& emit) {
    for (const std::uint32_t p : unit.points) {
      if (stop_.is_made())
        return;
      emit(sweep::encode(row_of(unit.app, p)));
    }
  }

  void finish() const { simulations_.trim(); }

private:
  sweep::ResultRow row_of(std::uint32_t app, std::uint32_t p) {
    const sweep::Point& point = job_.plan.points[p];
    const std::shared_ptr<const Variant> variant = variants_.at(p);
    sweep::ResultRow row;
    if (variant->gpu) {
      row = predictors_[app].predict(*variant->gpu);
    } else {
      row.app = job_.apps[app].input.name;
      row.gpu = job_.plan.bases[point.base].name;
      row.error = "no such GPU: " + variant->gpu.error().front().message;
    }
    row.gpu_hash = variant->hash;
    row.point = sweep::text_of(point);
    row.settings = point.settings;
    return row;
  }

  const SweepJob& job_;
  const StopRequest& stop_;
  Variants variants_;
  Simulations simulations_;
  std::deque<Predictor> predictors_; // by application
};

// Rank 0: the file, and what is still to be done.
class Keeper {
public:
  Keeper(const SweepJob& job, const StopRequest& stop, sweep::ResultStore store, std::vector<WorkUnit> units)
      : stop_(stop), store_(std::move(store)), units_(std::move(units)),
        progress_(std::make_unique<Progress>("rows", rows_in(units_))) {
    outcome_.rows = job.rows();
    outcome_.there = outcome_.rows - rows_in(units_);
  }

  // By any thread of rank 0, one at a time.
  std::optional<std::string> next() {
    if (next_ == units_.size() || failed_ || stop_.is_made())
      return std::nullopt;
    return encode(units_[next_++]);
  }

  void keep(const std::string& bytes) {
    if (failed_)
      return;
    const sweep::ResultRow row = sweep::decode(bytes);
    if (const Expected<void> added = store_.add({&row, 1}); !added) {
      errors_ = added.error();
      failed_ = true;
      return;
    }
    ++outcome_.computed;
  }

  void show() { progress_->show(outcome_.computed); }

  Expected<SweepOutcome> finish(bool csv) {
    progress_.reset();
    const bool complete = outcome_.there + outcome_.computed == outcome_.rows;
    if (!failed_ && !complete)
      outcome_.stopped = stop_.reason();
    if (!failed_ && complete)
      read_all(csv);
    const Expected<void> closed = store_.close();
    if (!closed && !failed_)
      errors_ = closed.error();
    if (!errors_.empty())
      return tl::unexpected(std::move(errors_));
    return std::move(outcome_);
  }

private:
  static std::uint64_t rows_in(const std::vector<WorkUnit>& units) {
    std::uint64_t rows = 0;
    for (const WorkUnit& unit : units)
      rows += unit.points.size();
    return rows;
  }

  void read_all(bool csv) {
    Expected<std::vector<sweep::ResultRow>> rows = store_.rows();
    if (!rows) {
      errors_ = rows.error();
      return;
    }
    outcome_.results = std::move(*rows);
    if (!csv)
      return;
    Expected<std::string> text = store_.csv();
    if (text)
      outcome_.csv = std::move(*text);
    else
      errors_ = text.error();
  }

  const StopRequest& stop_;
  sweep::ResultStore store_;
  std::vector<WorkUnit> units_;
  std::size_t next_ = 0;
  std::atomic<bool> failed_ = false;
  Diagnostics errors_;
  SweepOutcome outcome_;
  std::unique_ptr<Progress> progress_;
};

Expected<std::unique_ptr<Keeper>> open_keeper(const SweepJob& job, const SweepRun& run,
                                              const StopRequest& stop, const cluster::Cluster& cluster) {
  Expected<sweep::ResultStore> store = sweep::ResultStore::open(run.store, job.contents);
  if (!store)
    return tl::unexpected(store.error());
  const Expected<std::vector<sweep::Fingerprint>> there = store->keys();
  if (!there)
    return tl::unexpected(there.error());
  const std::size_t threads = run.threads != 0 ? run.threads : std::thread::hardware_concurrency();
  return std::make_unique<Keeper>(
      job, stop, std::move(*store),
      missing_units(job, *there, threads * static_cast<std::size_t>(cluster.ranks())));
}

} // namespace

Expected<SweepOutcome> run_sweep_job(const SweepJob& job, const SweepRun& run, const StopRequest& stop,
                                     const cluster::Cluster& cluster) {
  std::unique_ptr<Keeper> keeper;
  Expected<std::unique_ptr<Keeper>> opened;
  if (cluster.is_root())
    opened = open_keeper(job, run, stop, cluster);
  // No rank may begin to work for a file that cannot be written.
  const cluster::Status status =
      cluster.agree(opened ? cluster::Status{} : cluster::Status{exit_bad_input, render(opened.error())});
  if (!opened)
    return tl::unexpected(opened.error());
  if (status.exit_code != exit_done)
    return SweepOutcome{};
  keeper = std::move(*opened);
  Computer computer(job, run, stop);
  distribute(cluster,
             {.threads = run.threads,
              .next = [&] { return keeper->next(); },
              .compute = [&](const std::string& unit,
                             const cluster::Emit& emit) { computer.compute(decode_unit(unit), emit); },
              .deliver = [&](const std::string& row) { keeper->keep(row); },
              .tick = [&] { keeper->show(); }});
  if (!cluster.is_root())
    return SweepOutcome{};
  computer.finish();
  return keeper->finish(run.csv);
}

} // namespace kerncast::app
