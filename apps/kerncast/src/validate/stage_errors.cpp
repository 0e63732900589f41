#include "stage_errors.h"

#include <algorithm>

#include <fmt/format.h>

namespace kerncast::app {
namespace {

const StagePrediction& at(const MeasuredRow& row, Stage stage) {
  return row.stages[static_cast<std::size_t>(stage)];
}

std::vector<Stage> given_stages(const KernelRows& kernel, const std::string& where,
                                std::vector<std::string>& notes) {
  std::vector<Stage> stages;
  for (const Stage stage : all_stages)
    if (std::ranges::any_of(kernel.rows, [&](const MeasuredRow* row) { return at(*row, stage).is_given; }))
      stages.push_back(stage);
    else
      notes.push_back(
          fmt::format("{}: the stage {} is left out: neither the mapping nor the counters say anything of it",
                      where, name(stage)));
  return stages;
}

std::vector<const MeasuredRow*> rows_of_all(const KernelRows& kernel, const std::vector<Stage>& stages,
                                            const std::string& where, std::vector<std::string>& notes) {
  std::vector<const MeasuredRow*> rows;
  std::string why_not; // of the first row
  for (const MeasuredRow* row : kernel.rows) {
    const auto missing = std::ranges::find_if(stages, [&](Stage stage) { return !at(*row, stage).main; });
    if (missing == stages.end())
      rows.push_back(row);
    else if (why_not.empty())
      why_not = fmt::format("row {} with {} given: {}", row->number + 1, name(*missing),
                            at(*row, *missing).why_not);
  }
  if (!why_not.empty())
    notes.push_back(fmt::format("{}: {} of {} rows are left out of the stages, as not all predict them; {}",
                                where, kernel.rows.size() - rows.size(), kernel.rows.size(), why_not));
  return rows;
}

Expected<statistics::Errors> errors_at(Stage stage, const std::vector<const MeasuredRow*>& rows,
                                       const Quantity& main) {
  std::vector<statistics::Pair> pairs;
  pairs.reserve(rows.size());
  for (const MeasuredRow* row : rows)
    pairs.push_back({*main.measured(row->facts), *at(*row, stage).main});
  return statistics::errors_of(pairs, main.scale);
}

} // namespace

Expected<StagesOfKernel> stages_of(const KernelRows& kernel, const std::string& table,
                                   std::vector<std::string>& notes) {
  const std::string where = fmt::format("{}: {} on {}", table, kernel.kernel, kernel.gpu);
  const std::vector<Stage> stages = given_stages(kernel, where, notes);
  const std::vector<const MeasuredRow*> rows = rows_of_all(kernel, stages, where, notes);
  StagesOfKernel all{
      kernel.kernel, kernel.gpu, std::string(kernel.main->name), kernel.rows.size() - rows.size(), {}};
  if (rows.empty())
    return all;
  for (const Stage stage : stages) {
    const Expected<statistics::Errors> errors = errors_at(stage, rows, *kernel.main);
    if (!errors)
      return tl::unexpected(errors.error());
    const std::optional<double> share =
        all.stages.empty() ? std::nullopt : std::optional(all.stages.back().errors.mape - errors->mape);
    all.stages.push_back({std::string(name(stage)), *errors, share});
  }
  return all;
}

} // namespace kerncast::app
