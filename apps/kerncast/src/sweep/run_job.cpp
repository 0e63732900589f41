#include "sweep/run_job.h"

#include <atomic>
#include <charconv>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "cluster/distribution.h"
#include "cluster/grouped_queue.h"
#include "outcome.h"
#include "sweep/analysis.h"
#include "sweep/predictor.h"
#include "sweep/progress.h"
#include "sweep/search.h"

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

// Rows in one message: each with the number of its bytes before it.
void append_row(const std::string& bytes, std::string& message) {
  message += fmt::format("{} ", bytes.size());
  message += bytes;
}

void append_rows(std::string_view message, std::vector<sweep::ResultRow>& rows) {
  while (!message.empty()) {
    std::size_t size = 0;
    const char* const end = std::from_chars(message.data(), message.data() + message.size(), size).ptr;
    message.remove_prefix(static_cast<std::size_t>(end - message.data()) + 1);
    rows.push_back(sweep::decode(message.substr(0, size)));
    message.remove_prefix(size);
  }
}

// Any thread of any rank: rows of a unit.
class Computer {
public:
  Computer(const SweepJob& job, const SweepRun& run, const StopRequest& stop)
      : job_(job), stop_(stop), variants_(job.plan), simulations_(run.cache) {
    for (const SweepApplication& app : job.apps)
      predictors_.emplace_back(app, simulations_);
  }

  // Rows of short computations travel together: rank 0 can take some ten thousand messages a second.
  void compute(const WorkUnit& unit, const cluster::Emit& emit) {
    constexpr std::chrono::milliseconds kept_back{200};
    std::string rows;
    auto sent = std::chrono::steady_clock::now();
    for (const std::uint32_t p : unit.points) {
      if (stop_.is_made())
        break;
      append_row(sweep::encode(row_of(unit.app, p)), rows);
      if (const auto now = std::chrono::steady_clock::now(); now - sent >= kept_back) {
        emit(std::exchange(rows, {}));
        sent = now;
      }
    }
    if (!rows.empty())
      emit(std::move(rows));
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
  Keeper(const SweepJob& job, const StopRequest& stop, sweep::ResultStore store, std::size_t workers)
      : job_(job), stop_(stop), store_(std::move(store)), workers_(workers) {
    if (job.is_search())
      search_.emplace(job.file, job.plan);
  }

  // The next round: points that must be known before others are chosen. Of a sweep there is one, of all
  // points. False: there is none, or the job ends early.
  bool begin() {
    if (failed_ || stop_.is_made() || !is_complete() || (!search_ && began_))
      return false;
    const std::vector<std::uint32_t> points = next_points();
    const Expected<std::vector<sweep::Fingerprint>> there = store_.keys();
    if (!there)
      fail_with(there.error());
    if (failed_ || points.empty())
      return false;
    began_ = true;
    units_ = missing_units(job_, points, *there, workers_);
    queue_.emplace(queue_of(units_));
    const std::uint64_t rows = points.size() * job_.apps.size();
    outcome_.rows += rows;
    outcome_.there += rows - rows_in(units_);
    progress_ = std::make_unique<Progress>("rows", rows_in(units_));
    shown_from_ = outcome_.computed;
    return true;
  }

  // By any thread of rank 0, one at a time, also while rows are kept.
  std::optional<std::string> next(const std::string& before) {
    if (failed_ || stop_.is_made())
      return std::nullopt;
    const std::optional<std::size_t> unit =
        queue_->next(before.empty() ? std::nullopt : std::optional(decode_unit(before).group));
    return unit ? std::optional(encode(units_[*unit])) : std::nullopt;
  }

  // At once, by one thread: rows that came together cost one commit.
  void keep(const std::vector<std::string>& messages) {
    if (failed_)
      return;
    std::vector<sweep::ResultRow> rows;
    for (const std::string& message : messages)
      append_rows(message, rows);
    if (const Expected<void> added = store_.add(rows); !added) {
      fail_with(added.error());
      return;
    }
    outcome_.computed += rows.size();
  }

  // Who stops a job of many ranks may not wait until rank 0 has heard from all: some may be lost.
  void show() {
    if (stop_.is_made() && !std::exchange(said_, true))
      progress_->say(fmt::format("note: {}: {} rows are kept; waiting for those in flight", stop_.reason(),
                                 outcome_.there + outcome_.computed));
    progress_->show(outcome_.computed - shown_from_);
  }

  Expected<SweepOutcome> finish(bool csv) {
    progress_.reset();
    if (!failed_ && (stop_.is_made() || !is_complete()))
      outcome_.stopped = stop_.reason();
    if (!failed_ && outcome_.stopped.empty())
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

  cluster::GroupedQueue queue_of(const std::vector<WorkUnit>& units) const {
    std::vector<cluster::GroupedQueue::Unit> queued;
    for (const WorkUnit& unit : units)
      queued.push_back({unit.group, expected_cost(job_, unit)});
    return cluster::GroupedQueue(queued);
  }

  bool is_complete() const { return outcome_.there + outcome_.computed == outcome_.rows; }

  void fail_with(Diagnostics errors) {
    errors_ = std::move(errors);
    failed_ = true;
  }

  std::vector<std::uint32_t> next_points() {
    if (search_)
      return search_->next(costs());
    std::vector<std::uint32_t> all(job_.plan.points.size());
    std::iota(all.begin(), all.end(), 0U);
    return all;
  }

  // Of the points that have a prediction of every application.
  std::map<std::uint32_t, double> costs() {
    const Expected<std::vector<sweep::ResultRow>> rows = store_.rows();
    const Expected<sweep::Analysis> analysis =
        rows.and_then([&](const auto& known) { return sweep::analyse(job_.file, job_.plan, known); });
    std::map<std::uint32_t, double> costs;
    if (!analysis) {
      fail_with(analysis.error());
      return costs;
    }
    for (const sweep::PointResult& point : analysis->points)
      costs.emplace(point.index,
                    analysis->maximize.front() ? -point.objectives.front() : point.objectives.front());
    return costs;
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

  const SweepJob& job_;
  const StopRequest& stop_;
  sweep::ResultStore store_;
  std::size_t workers_;
  std::optional<sweep::Search> search_;
  bool began_ = false;
  bool said_ = false; // that the job ends early
  std::vector<WorkUnit> units_;
  std::optional<cluster::GroupedQueue> queue_; // of units_
  std::atomic<bool> failed_ = false;
  Diagnostics errors_;
  SweepOutcome outcome_;
  std::uint64_t shown_from_ = 0; // rows computed before this round
  std::unique_ptr<Progress> progress_;
};

Expected<std::unique_ptr<Keeper>> open_keeper(const SweepJob& job, const SweepRun& run,
                                              const StopRequest& stop, const cluster::Cluster& cluster) {
  const std::size_t threads = run.threads != 0 ? run.threads : std::thread::hardware_concurrency();
  return sweep::ResultStore::open(run.store, job.contents).map([&](sweep::ResultStore&& store) {
    return std::make_unique<Keeper>(job, stop, std::move(store),
                                    threads * static_cast<std::size_t>(cluster.ranks()));
  });
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
  const cluster::Distribution work{
      .threads = run.threads,
      .next = [&](const std::string& before) { return keeper->next(before); },
      .compute = [&](const std::string& unit,
                     const cluster::Emit& emit) { computer.compute(decode_unit(unit), emit); },
      .deliver = [&](const std::vector<std::string>& rows) { keeper->keep(rows); },
      .tick = [&] { keeper->show(); }};
  // Rank 0 says whether there is another round.
  const cluster::Status over{exit_stopped, {}};
  while (cluster.agree(cluster.is_root() && !keeper->begin() ? over : cluster::Status{}).exit_code ==
         exit_done)
    distribute(cluster, work);
  if (!cluster.is_root())
    return SweepOutcome{};
  computer.finish();
  return keeper->finish(run.csv);
}

} // namespace kerncast::app
