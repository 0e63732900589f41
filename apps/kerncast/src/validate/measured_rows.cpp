// Rows become the words of predict, and are predicted as predict does; rows without PTX stay unpredicted.
#include "measured_rows.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "engine/simulate_plan.h"
#include "engine/uncertainty.h"
#include "predict/launches.h"
#include "predict/read_input.h"
#include "support/files.h"

namespace kerncast::app {
namespace {

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
Expected<PredictWords> words_of(const Mapping& mapping, const MeasuredRow& row) {
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

Expected<PredictedLaunch> predict_launch(const engine::KernelInput& input, bool with_interval) {
  const Expected<engine::KernelPlan> plan = engine::plan_kernel(input);
  if (!plan)
    return tl::unexpected(plan.error());
  engine::KernelPrediction prediction = engine::simulate_plan(*plan, input.gpu);
  const LaunchCounts counts = count_launch(input, prediction);
  PredictedLaunch launch{std::move(prediction), counts, input.program.registers_estimated};
  if (with_interval)
    launch.prediction.interval = engine::interval_of(
        launch.prediction.cycles, engine::vary(input, *plan),
        [&](const engine::KernelPlan& varied) { return engine::simulate_plan(varied, input.gpu).cycles; });
  return launch;
}

Expected<PredictedLaunch> predict_words(const PredictWords& words, const Session& session,
                                        bool with_interval) {
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
                        Expected<PredictedLaunch> predicted = predict_launch(one, with_interval);
                        if (!predicted)
                          return tl::unexpected(predicted.error());
                        launch = std::move(*predicted);
                        return {};
                      });
  if (!done)
    return tl::unexpected(done.error());
  launch.registers_given = !words.registers.empty();
  return launch;
}

// `row` is predicted with all that `words` give.
StagePrediction predict_stage(Stage stage, const PredictWords& words, const MeasuredRow& row,
                              const Quantity& main, const Session& session) {
  const std::optional<PredictWords> at = words_at(stage, words, row.facts);
  if (!at)
    return {false, {}, "the row says nothing of it"};
  if (give_the_same(*at, words))
    return {true, main.predicted(*row.predicted), {}};
  const Expected<PredictedLaunch> predicted = predict_words(*at, session, false);
  if (!predicted)
    return {true, {}, predicted.error().front().message};
  return {true, main.predicted(*predicted), {}};
}

} // namespace

Expected<std::vector<MeasuredRow>> rows_of(const csv::Table& table, const Mapping& mapping,
                                           std::vector<std::string>& notes) {
  std::vector<MeasuredRow> rows;
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
    rows.push_back({i, std::move(*facts), gpu, std::nullopt, {}, {}});
  }
  if (left_out > 0)
    notes.push_back(
        fmt::format("{}: {} rows left out by the mapping's conditions", table.source.name(), left_out));
  return rows;
}

void RowPredictor::predict(MeasuredRow& row) const {
  const Expected<PredictWords> words = words_of(mapping, row);
  if (words) {
    std::error_code error;
    if (!std::filesystem::exists(words->input, error))
      return;
  }
  Expected<PredictedLaunch> predicted =
      words ? predict_words(*words, session, true) : tl::unexpected(words.error());
  if (!predicted) {
    row.errors = predicted.error();
    row.errors.push_back(table.error(table.rows[row.number].front(), "this row cannot be predicted"));
    return;
  }
  row.predicted = std::move(*predicted);
  if (stages)
    std::ranges::transform(all_stages, row.stages.begin(), [&](Stage stage) {
      return predict_stage(stage, *words, row, main_quantity(mapping), session);
    });
}

std::vector<KernelRows> by_kernel(const std::vector<MeasuredRow>& rows, const Quantity& main) {
  std::vector<KernelRows> kernels;
  for (const MeasuredRow& row : rows) {
    if (!row.predicted || main.measured(row.facts).value_or(0) <= 0)
      continue;
    const std::string& kernel = row.facts.at("kernel");
    auto found = std::ranges::find_if(
        kernels, [&](const KernelRows& one) { return one.kernel == kernel && one.gpu == row.gpu; });
    if (found == kernels.end())
      found = kernels.insert(kernels.end(), {&main, kernel, row.gpu, {}});
    found->rows.push_back(&row);
  }
  return kernels;
}

} // namespace kerncast::app
