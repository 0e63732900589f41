#include "sweep/keeper.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "support/files.h"

namespace kerncast::app {
namespace {

std::uint64_t rows_in(const std::vector<WorkUnit>& units) {
  std::uint64_t rows = 0;
  for (const WorkUnit& unit : units)
    rows += unit.points.size();
  return rows;
}

cluster::GroupedQueue queue_of(const SweepJob& job, const std::vector<WorkUnit>& units) {
  std::vector<cluster::GroupedQueue::Unit> queued;
  for (const WorkUnit& unit : units)
    queued.push_back({unit.group, expected_cost(job, unit)});
  return cluster::GroupedQueue(queued);
}

// Ascending.
std::vector<std::string> app_names(const SweepJob& job) {
  std::vector<std::string> names;
  for (const ApplicationFacts& app : job.apps)
    names.push_back(app.name);
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace

Expected<std::unique_ptr<Keeper>> Keeper::open(const std::filesystem::path& file, const SweepJob& job,
                                               const StopRequest& stop, std::size_t workers) {
  return store_contents(job)
      .and_then(
          [&](const sweep::StoreContents& contents) { return sweep::ResultStore::open(file, contents); })
      .and_then([&](sweep::ResultStore&& store) -> Expected<std::unique_ptr<Keeper>> {
        if (const Expected<void> checked = store.check_names(job.plan, app_names(job)); !checked)
          return tl::unexpected(checked.error());
        return std::make_unique<Keeper>(job, stop, std::move(store), workers);
      });
}

Keeper::Keeper(const SweepJob& job, const StopRequest& stop, sweep::ResultStore store, std::size_t workers)
    : job_(job), stop_(stop), store_(std::move(store)), workers_(workers) {
  if (job.is_search())
    search_.emplace(job.file, job.plan);
}

bool Keeper::begin() {
  if (failed_ || given_up_ || stop_.is_made() || !is_complete() || (!search_ && began_))
    return false;
  const std::vector<std::uint32_t> points = next_points();
  const Expected<std::vector<sweep::Fingerprint>> there = store_.keys();
  if (!there)
    fail_with(there.error());
  if (failed_ || points.empty())
    return false;
  began_ = true;
  missing_ = missing_units(job_, points, *there, workers_);
  queue_.emplace(queue_of(job_, missing_.units));
  shared_.clear();
  const std::uint64_t rows = points.size() * job_.apps.size();
  outcome_.rows += rows;
  outcome_.there += rows - rows_in(missing_.units);
  progress_ = std::make_unique<Progress>("rows", rows_in(missing_.units));
  shown_from_ = outcome_.computed;
  return true;
}

cluster::Answer Keeper::next(const std::string& report) {
  using Kind = cluster::GroupedQueue::Task::Kind;
  std::optional<std::uint32_t> before;
  if (!report.empty()) {
    const UnitReport heard = decode_report(report);
    hear(heard);
    before = heard.group;
  }
  if (failed_ || given_up_ || stop_.is_made())
    return {};
  const cluster::GroupedQueue::Task task = queue_->next(before);
  if (task.kind == Kind::nothing || task.kind == Kind::later)
    return {task.kind == Kind::later ? cluster::Answer::Kind::later : cluster::Answer::Kind::nothing, {}};
  WorkUnit unit = missing_.units[task.unit];
  if (task.kind == Kind::find)
    return {cluster::Answer::Kind::unit, encode(missing_.finding[unit.group])};
  if (const auto shared = shared_.find(unit.group); shared != shared_.end()) {
    if (before != unit.group)
      unit.shared = shared->second;
    if (queue_->is_done(unit.group))
      shared_.erase(shared);
  }
  return {cluster::Answer::Kind::unit, encode(unit)};
}

void Keeper::hear(const UnitReport& report) {
  given_up_ = given_up_ || report.is_stopped; // one rank that is asked to stop is enough
  if (report.is_stopped || !queue_->is_awaited(report.group))
    return;
  queue_->found(report.group);
  shared_.emplace(report.group, report.shared);
}

void Keeper::keep(const std::vector<std::string>& messages) {
  if (failed_)
    return;
  std::vector<sweep::ResultRow> rows;
  for (const std::string& message : messages)
    for (sweep::ResultRow& row : sweep::decode(message))
      rows.push_back(std::move(row));
  if (const Expected<void> added = store_.add(rows); !added) {
    fail_with(added.error());
    return;
  }
  outcome_.computed += rows.size();
}

void Keeper::show() {
  if (stop_.is_made() && !std::exchange(said_, true))
    progress_->say(fmt::format("note: {}: {} rows are kept; waiting for those in flight", stop_.told(),
                               outcome_.there + outcome_.computed));
  progress_->show(outcome_.computed - shown_from_);
}

Expected<SweepOutcome> Keeper::finish(const std::filesystem::path& csv, const std::string& stopped) {
  progress_.reset();
  if (!failed_) {
    assert((is_complete() || !stopped.empty()) && "rows are missing only where a rank was asked to stop");
    outcome_.stopped = stopped;
  }
  if (!failed_ && stopped.empty())
    if (const Expected<void> read = read_all(csv); !read)
      errors_ = read.error();
  const Expected<void> closed = store_.close();
  if (!closed && !failed_)
    errors_ = closed.error();
  if (!errors_.empty())
    return tl::unexpected(std::move(errors_));
  return std::move(outcome_);
}

void Keeper::fail_with(Diagnostics errors) {
  errors_ = std::move(errors);
  failed_ = true;
}

std::vector<std::uint32_t> Keeper::next_points() {
  if (search_)
    return search_->next(costs());
  std::vector<std::uint32_t> all(job_.plan.points.size());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

Expected<sweep::Analysis> Keeper::analyse() const {
  return store_.times(job_.plan, app_names(job_)).and_then([&](const sweep::Times& times) {
    return sweep::analyse(job_.file, job_.plan, times);
  });
}

// Of the points that have a prediction of every application.
std::map<std::uint32_t, double> Keeper::costs() {
  const Expected<sweep::Analysis> analysis = analyse();
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

Expected<void> Keeper::read_all(const std::filesystem::path& csv) {
  // The rows first: they are right even where an objective has no value.
  const Expected<void> written =
      csv.empty() ? Expected<void>{}
                  : write_file_in_pieces(csv, [&](const WriteText& write) { return store_.csv(write); });
  return written.and_then([&] { return store_.failed(); })
      .and_then([&](sweep::FailedRows&& failed) {
        outcome_.failed = std::move(failed);
        return analyse();
      })
      .map([&](sweep::Analysis&& analysis) { outcome_.analysis = std::move(analysis); });
}

} // namespace kerncast::app
