#include "sweep/computer.h"

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sweep/result_row.h"

namespace kerncast::app {

Computer::Computer(const SweepJob& job, Applications& applications, std::optional<engine::ResultCache> cache,
                   const StopRequest& stop)
    : job_(job), applications_(applications), stop_(stop), variants_(job.plan),
      simulations_(std::move(cache)) {
  for (std::size_t a = 0; a < job.apps.size(); ++a)
    predictors_.emplace_back(simulations_);
}

std::string Computer::compute(const WorkUnit& unit, const cluster::Emit& emit) {
  UnitReport report{.group = unit.group, .is_stopped = false, .shared = {}};
  if (const ReadyApplication app = ready(unit.app)) {
    if (!unit.finds)
      compute_rows(*app, unit, emit);
    else if (!stop_.is_made())
      report.shared = predictors_[unit.app].tell_hits(*app, gpus_of(unit));
  }
  report.is_stopped = stop_.is_made();
  return encode(report);
}

// Of its points those that are GPUs.
std::vector<configs::Gpu> Computer::gpus_of(const WorkUnit& unit) {
  std::vector<configs::Gpu> gpus;
  for (const std::uint32_t p : unit.points)
    if (const std::shared_ptr<const Variant> variant = variants_.at(p); variant->gpu)
      gpus.push_back(*variant->gpu);
  return gpus;
}

// Rows of short computations travel together: rank 0 can take some ten thousand messages a second.
void Computer::compute_rows(const SweepApplication& app, const WorkUnit& unit, const cluster::Emit& emit) {
  constexpr std::chrono::milliseconds kept_back{200};
  if (!unit.shared.empty())
    predictors_[unit.app].put_hits(unit.shared);
  else if (unit.is_group && !stop_.is_made())
    predictors_[unit.app].find_hits(app, gpus_of(unit));
  std::vector<sweep::ResultRow> rows;
  auto sent = std::chrono::steady_clock::now();
  for (const std::uint32_t p : unit.points) {
    if (stop_.is_made())
      break;
    rows.push_back(row_of(app, unit, p));
    if (const auto now = std::chrono::steady_clock::now(); now - sent >= kept_back) {
      emit(sweep::encode(std::exchange(rows, {})));
      sent = now;
    }
  }
  if (!rows.empty())
    emit(sweep::encode(rows));
}

// On the thread that needs it, and on those that have no work of their own.
ReadyApplication Computer::ready(std::uint32_t app) {
  Expected<ReadyApplication> found = applications_.get(app, 1, stop_);
  if (!found)
    throw std::runtime_error("an application is no longer what another rank found: " + render(found.error()));
  return *std::move(found);
}

sweep::ResultRow Computer::row_of(const SweepApplication& app, const WorkUnit& unit, std::uint32_t p) {
  const sweep::Point& point = job_.plan.points[p];
  const std::shared_ptr<const Variant> variant = variants_.at(p);
  sweep::ResultRow row;
  if (variant->gpu) {
    row = predictors_[unit.app].predict(app, *variant->gpu);
  } else {
    row.app = app.facts.name;
    row.gpu = job_.plan.bases[point.base].name;
    row.error = "no such GPU: " + variant->gpu.error().front().message;
  }
  row.gpu_hash = variant->hash;
  row.point = sweep::text_of(point);
  row.settings = point.settings;
  return row;
}

} // namespace kerncast::app
