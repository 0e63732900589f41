// validate measured FILE.csv --map MAP.json [--ptx PATTERN]: measured launches, one a row, beside the
// simulator.
//
// The columns are those of docs/accuracy.md; the PTX is the user's own, and rows without PTX are left out.
#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "counters.h"
#include "engine/simulate_plan.h"
#include "engine/uncertainty.h"
#include "measured.h"
#include "parallel/run.h"
#include "predict/launches.h"
#include "predict/models.h"
#include "predict/read_input.h"
#include "progress.h"
#include "suites.h"
#include "support/files.h"

namespace kerncast::app {
namespace {

constexpr std::string_view measured_columns[] = {"gpu",     "kernel",  "grid_x",  "grid_y", "grid_z",
                                                 "block_x", "block_y", "block_z", "time_us"};

struct Row {
  std::size_t number = 0; // from 0
  Facts facts;
  std::string gpu;
  std::optional<PredictedLaunch> predicted; // none: its PTX is not there
  Diagnostics errors;
};

bool meets(const Facts& facts, const Condition& condition) {
  const std::optional<double> value = number_of(facts, condition.name);
  return value && (condition.at_most ? *value <= condition.value : *value >= condition.value);
}

std::string gpu_of(const Mapping& mapping, const Facts& facts) {
  const std::string& name = facts.at("gpu");
  const auto found = mapping.gpus.find(name);
  return found == mapping.gpus.end() ? name : found->second;
}

// The row as the command line of predict would say it.
Expected<PredictWords> words_of(const Mapping& mapping, const Row& row) {
  PredictWords words;
  Diagnostics errors;
  const auto expanded = [&](const std::string& text) {
    const Expected<std::string> done = expand(text, row.facts);
    if (!done)
      errors.insert(errors.end(), done.error().begin(), done.error().end());
    return done.value_or("");
  };
  const auto fact = [&](const char* name) { return row.facts.at(name); };
  words.input = (std::filesystem::path(mapping.folder) / expanded(mapping.ptx)).string();
  words.kernel = mapping.kernel.empty() ? fact("kernel") : expanded(mapping.kernel);
  words.grid = fmt::format("{},{},{}", fact("grid_x"), fact("grid_y"), fact("grid_z"));
  words.block = fmt::format("{},{},{}", fact("block_x"), fact("block_y"), fact("block_z"));
  const auto own = mapping.arguments_of.find(words.kernel);
  for (const std::string& argument : own == mapping.arguments_of.end() ? mapping.arguments : own->second)
    words.arguments.push_back(expanded(argument));
  for (const std::string& branch : mapping.branches)
    if (std::string stated = expanded(branch); !stated.empty())
      words.branches.push_back(std::move(stated));
  if (const auto bytes = row.facts.find("dyn_smem_bytes"); bytes != row.facts.end())
    words.dynamic_smem = bytes->second;
  words.registers = expanded(mapping.registers);
  words.spill_stores = expanded(mapping.spill_stores);
  words.divisions = expanded(mapping.divisions);
  words.repeat = expanded(mapping.repeat);
  words.l1_hit = expanded(mapping.l1_hit);
  words.l2_hit = expanded(mapping.l2_hit);
  words.threads = "1"; // rows are spread over the threads
  words.gpus.gpus = {row.gpu};
  for (const std::string& setting : mapping.settings)
    words.gpus.settings.push_back(expanded(setting));
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return words;
}

Expected<PredictedLaunch> predict_launch(const engine::KernelInput& input) {
  const Expected<engine::KernelPlan> plan = engine::plan_kernel(input);
  if (!plan)
    return tl::unexpected(plan.error());
  engine::KernelPrediction prediction = engine::simulate_plan(*plan, input.gpu);
  const LaunchCounts counts = count_launch(input, prediction);
  PredictedLaunch launch{std::move(prediction), counts, input.program.registers_estimated};
  launch.prediction.interval = engine::interval_of(
      launch.prediction.cycles, engine::vary(input, *plan),
      [&](const engine::KernelPlan& varied) { return engine::simulate_plan(varied, input.gpu).cycles; });
  return launch;
}

Expected<PredictedLaunch> predict_row(const PredictWords& words, const Session& session) {
  const Expected<PredictOptions> options = check_options(words);
  if (!options)
    return tl::unexpected(options.error());
  const Expected<std::vector<configs::Gpu>> gpus = load_gpus(words.gpus, session.configs);
  if (!gpus)
    return tl::unexpected(gpus.error());
  const Expected<PredictInput> input = read_source(words.input).and_then([&](SourceText source) {
    return read_input(std::move(source), *options);
  });
  if (!input)
    return tl::unexpected(input.error());
  PredictedLaunch launch;
  const Expected<void> done =
      for_each_launch(*input, *gpus, *options,
                      [&](const engine::KernelInput& one, std::size_t, std::size_t) -> Expected<void> {
                        Expected<PredictedLaunch> predicted = predict_launch(one);
                        if (!predicted)
                          return tl::unexpected(predicted.error());
                        launch = std::move(*predicted);
                        return {};
                      });
  if (!done)
    return tl::unexpected(done.error());
  return launch;
}

void predict_row(const csv::Table& table, const Mapping& mapping, const Session& session, Row& row) {
  const Expected<PredictWords> words = words_of(mapping, row);
  if (words) {
    std::error_code error;
    if (!std::filesystem::exists(words->input, error))
      return;
  }
  Expected<PredictedLaunch> predicted = words ? predict_row(*words, session) : tl::unexpected(words.error());
  if (predicted) {
    row.predicted = std::move(*predicted);
    return;
  }
  row.errors = predicted.error();
  row.errors.push_back(table.error(table.rows[row.number].front(), "this row cannot be predicted"));
}

Expected<std::vector<Row>> rows_of(const csv::Table& table, const Mapping& mapping, Report& report) {
  std::vector<Row> rows;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    Expected<Facts> facts = facts_of(table, i);
    if (!facts)
      return tl::unexpected(facts.error());
    if (!std::ranges::all_of(mapping.where, [&](const Condition& c) { return meets(*facts, c); })) {
      ++left_out;
      continue;
    }
    const std::string gpu = gpu_of(mapping, *facts);
    rows.push_back({i, std::move(*facts), gpu, std::nullopt, {}});
  }
  if (left_out > 0)
    report.notes.push_back(
        fmt::format("{}: {} rows left out by the mapping's conditions", table.source.name(), left_out));
  return rows;
}

// Rows where nothing was measured have no relative error.
struct Zeros {
  std::size_t rows = 0;
  std::size_t predicted_otherwise = 0;
};

void add_row(std::string_view suite, const Row& row, const Quantity& quantity, Report& report, Zeros& zeros) {
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
  if (quantity.has_interval) {
    const engine::Interval& shares = *row.predicted->prediction.interval;
    interval = {predicted * shares.low, predicted * shares.high};
  }
  report.add(
      {std::string(suite), row.facts.at("kernel"), row.gpu, std::string(simulator),
       std::string(quantity.name), quantity.scale, quantity.name == quantities().front().name},
      {fmt::format("row {}", row.number + 1), *measured, predicted, std::nullopt, std::nullopt, interval});
}

Expected<void> add_rows(std::string_view suite, const csv::Table& table, const std::vector<Row>& rows,
                        Report& report) {
  Diagnostics errors;
  std::size_t without = 0;
  for (const Row& row : rows) {
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
    for (const Row& row : rows)
      if (row.predicted)
        add_row(suite, row, quantity, report, zeros);
    if (zeros.rows > 0)
      report.notes.push_back(
          fmt::format("{}: {} rows measured 0 {} are left out; {} of them are predicted otherwise",
                      table.source.name(), zeros.rows, quantity.name, zeros.predicted_otherwise));
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
  Expected<std::vector<Row>> rows = rows_of(*table, *mapping, report);
  if (!rows)
    return tl::unexpected(rows.error());
  Progress progress("rows of " + table->source.name(), rows->size());
  std::mutex shown;
  std::size_t done = 0;
  parallel::for_each_index(rows->size(), input.threads, [&](std::size_t i) {
    predict_row(*table, *mapping, input.session, (*rows)[i]);
    const std::scoped_lock lock(shown);
    progress.show(++done);
  });
  return add_rows(suite, *table, *rows, report);
}

} // namespace kerncast::app
