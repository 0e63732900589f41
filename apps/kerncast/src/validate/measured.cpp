// validate measured FILE.csv --map MAP.json [--ptx PATTERN]: measured launches, one a row, beside the
// simulator.
//
// The columns are those of docs/accuracy.md; the PTX is the user's own, and rows without PTX are left out.
#include <mutex>

#include <fmt/format.h>

#include "measured.h"
#include "measured_rows.h"
#include "parallel/run.h"
#include "predict/models.h"
#include "progress.h"
#include "stage_errors.h"
#include "suites.h"
#include "support/files.h"
#include "worst_rows.h"

namespace kerncast::app {
namespace {

constexpr std::string_view measured_columns[] = {"gpu",     "kernel",  "grid_x",  "grid_y", "grid_z",
                                                 "block_x", "block_y", "block_z", "time_us"};

// Rows where nothing was measured have no relative error.
struct Zeros {
  std::size_t rows = 0;
  std::size_t predicted_otherwise = 0;
};

void add_row(std::string_view suite, const MeasuredRow& row, const Quantity& quantity, bool is_main,
             Report& report, Zeros& zeros) {
  const std::optional<double> measured = quantity.measured(row.facts);
  if (!measured)
    return;
  const double predicted = quantity.predicted(*row.predicted);
  if (*measured <= 0 && quantity.scale == statistics::Scale::relative) {
    ++zeros.rows;
    zeros.predicted_otherwise += predicted != 0 ? 1 : 0;
    return;
  }
  std::optional<PredictedInterval> interval;
  if (quantity.role == Role::timing) {
    const engine::Interval& shares = *row.predicted->prediction.interval;
    interval = {predicted * shares.low, predicted * shares.high};
  }
  report.add(
      {std::string(suite), row.facts.at("kernel"), row.gpu, std::string(simulator),
       std::string(quantity.name), quantity.scale, is_main},
      {fmt::format("row {}", row.number + 1), *measured, predicted, std::nullopt, std::nullopt, interval});
}

Expected<void> add_rows(std::string_view suite, const csv::Table& table, const std::vector<MeasuredRow>& rows,
                        const Quantity& main, Report& report) {
  Diagnostics errors;
  std::size_t without = 0;
  for (const MeasuredRow& row : rows) {
    errors.insert(errors.end(), row.errors.begin(), row.errors.end());
    without += row.errors.empty() && !row.predicted ? 1 : 0;
  }
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  if (without == rows.size())
    return fail(fmt::format("{}: no row has PTX", table.source.name()),
                "name it in the mapping's \"ptx\" or with --ptx; {NAME} stands for what the row says");
  if (without > 0)
    report.notes.push_back(fmt::format("{}: {} rows without PTX left out", table.source.name(), without));
  for (const Quantity& quantity : quantities()) {
    Zeros zeros;
    for (const MeasuredRow& row : rows)
      if (row.predicted)
        add_row(suite, row, quantity, &quantity == &main, report, zeros);
    if (zeros.rows > 0)
      report.notes.push_back(
          fmt::format("{}: {} rows measured 0 {} are left out; {} of them are predicted otherwise",
                      table.source.name(), zeros.rows, quantity.name, zeros.predicted_otherwise));
  }
  return {};
}

// What the errors come from, as far as it was asked for.
Expected<void> explain_rows(const SuiteInput& input, const csv::Table& table,
                            const std::vector<MeasuredRow>& rows, const Quantity& main, Report& report) {
  for (const KernelRows& kernel : by_kernel(rows, main)) {
    if (input.worst > 0)
      report.worst.push_back(worst_of(kernel, input.worst));
    if (!input.stages)
      continue;
    Expected<StagesOfKernel> stages = stages_of(kernel, table.source.name(), report.notes);
    if (!stages)
      return tl::unexpected(stages.error());
    report.stages.push_back(std::move(*stages));
  }
  return {};
}

} // namespace

Expected<void> validate_measured(const SuiteInput& input, Report& report) {
  return compare_launches("measured", input, report);
}

Expected<void> compare_launches(std::string_view suite, const SuiteInput& input, Report& report) {
  const Expected<csv::Table> table = read_source(input.file).and_then(csv::read);
  if (!table)
    return tl::unexpected(table.error());
  if (const auto found = csv::find_columns(*table, measured_columns); !found)
    return tl::unexpected(found.error());
  Expected<Mapping> mapping = input.map.empty() ? Mapping{} : read_mapping(input.map);
  if (!mapping)
    return tl::unexpected(mapping.error());
  if (!input.ptx.empty()) {
    mapping->ptx = input.ptx;
    mapping->folder.clear();
  }
  Expected<std::vector<MeasuredRow>> rows = rows_of(*table, *mapping, report.notes);
  if (!rows)
    return tl::unexpected(rows.error());
  Progress progress("rows of " + table->source.name(), rows->size());
  const RowPredictor predictor{*table, *mapping, input.session, input.stages};
  std::mutex shown;
  std::size_t done = 0;
  parallel::for_each_index(rows->size(), input.threads, [&](std::size_t i) {
    predictor.predict((*rows)[i]);
    const std::scoped_lock lock(shown);
    progress.show(++done);
  });
  const Quantity& main = main_quantity(*mapping);
  if (Expected<void> added = add_rows(suite, *table, *rows, main, report); !added)
    return added;
  return explain_rows(input, *table, *rows, main, report);
}

} // namespace kerncast::app
