// kerncast scale APP --cluster C --gpus 1:4096:x2 [--weak NAME]: the time of an application on so many GPUs.
//
// Strong scaling: sizes of the file that are expressions of `ranks` shrink as it grows. Weak scaling: what
// --weak names grows with the number of ranks, so that what each rank does stays the same.
#include <algorithm>
#include <charconv>
#include <memory>
#include <set>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "number_text.h"
#include "option_values.h"
#include "predict/predict.h"
#include "predict/simulations.h"
#include "views/scaling_views.h"

namespace kerncast::app {
namespace {

struct ScaleWords {
  PredictWords predict;
  std::string gpus;
  std::vector<std::string> weak;
};

constexpr std::string_view gpus_note = "for example: --gpus 1:4096:x2, --gpus 8:64:+8 or --gpus 1,2,6";

std::optional<std::uint32_t> count_of(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || value < 1 ||
      value > application::max_ranks)
    return std::nullopt;
  return value;
}

// "FROM:TO:xFACTOR" or "FROM:TO:+STEP"; empty if it is neither.
std::vector<std::uint32_t> range_of(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() != 3 || parts[2].empty())
    return {};
  const auto from = count_of(parts[0]), to = count_of(parts[1]), by = count_of(parts[2].substr(1));
  const bool multiplies = parts[2].front() == 'x';
  if (!from || !to || !by || *from > *to || (parts[2].front() != '+' && (!multiplies || *by < 2)))
    return {};
  std::vector<std::uint32_t> counts;
  for (std::uint32_t count = *from; count <= *to; count = multiplies ? count * *by : count + *by)
    counts.push_back(count);
  return counts;
}

// Ascending, or an error.
Expected<std::vector<std::uint32_t>> counts_of(const std::string& text) {
  std::vector<std::uint32_t> counts = range_of(text);
  if (counts.empty())
    for (const std::string_view part : split(text, ',')) {
      const auto count = count_of(part);
      if (!count || (!counts.empty() && *count <= counts.back()))
        return fail(fmt::format("--gpus '{}' is no ascending list of numbers from 1 to {}", text,
                                application::max_ranks),
                    std::string(gpus_note));
      counts.push_back(*count);
    }
  return counts;
}

struct ScalingCurves {
  std::vector<std::vector<Prediction>> points; // by number of GPUs; empty on ranks other than 0
  std::optional<cluster::Status> ended;
};

Expected<ScalingCurves> predict_all(PredictOptions options, const GpuOptions& gpus,
                                    const std::vector<std::uint32_t>& counts, const Session& session) {
  ScalingCurves curves;
  for (const std::uint32_t count : counts) {
    options.ranks.ranks = count;
    Expected<PredictResult> result = predict(options, gpus, session);
    // Ranks of the job go on together or not at all.
    const cluster::Status status = session.cluster.agree(
        result ? cluster::Status{} : cluster::Status{exit_bad_input, render(result.error())});
    if (status.exit_code != exit_done)
      curves.ended = status;
    else if (result->ended)
      curves.ended = result->ended;
    if (curves.ended)
      return curves;
    curves.points.push_back(std::move(result->predictions));
  }
  return curves;
}

Outcome run_scale(const ScaleWords& words, const Session& session) {
  Expected<PredictOptions> options = check_options(words.predict);
  const Expected<std::vector<std::uint32_t>> counts = counts_of(words.gpus);
  if (!options || !counts)
    return bad_input(options ? counts.error() : options.error());
  const Expected<std::shared_ptr<Simulations>> simulations = open_simulations(options->cache);
  // A rank that cannot go on must not leave the others waiting for it.
  const cluster::Status status = session.cluster.agree(
      simulations ? cluster::Status{} : cluster::Status{exit_bad_input, render(simulations.error())});
  if (status.exit_code != exit_done)
    return {status.exit_code, {}, status.message, {}, true};
  options->simulations = *simulations;
  options->interval = false;
  options->ranks.grow_with_ranks = {words.weak.begin(), words.weak.end()};
  const Expected<ScalingCurves> curves = predict_all(*options, words.predict.gpus, *counts, session);
  if (!curves)
    return bad_input(curves.error());
  if (curves->ended)
    return {curves->ended->exit_code, {}, curves->ended->message, {}, true};
  if (!session.cluster.is_root())
    return {};
  for (const std::vector<Prediction>& point : curves->points)
    if (const Diagnostics errors = assumptions_as_errors(point); options->strict && !errors.empty())
      return bad_input(errors);
  const Scaling scaling{*counts, words.weak, curves->points};
  return result(options->json, json_text(scaling_json(scaling)), scaling_table(scaling));
}

} // namespace

Run add_scale(CLI::App& command) {
  auto words = std::make_shared<ScaleWords>();
  PredictWords& predict = words->predict;
  command.add_option("APP", predict.input, "application file with ranks")->required();
  command.add_option("--cluster", predict.cluster, "cluster of the database, or a file")
      ->required()
      ->type_name("CLUSTER");
  command
      .add_option("--gpus", words->gpus,
                  "FROM:TO:xFACTOR, FROM:TO:+STEP or a list: how many GPUs, one rank each")
      ->required()
      ->type_name("COUNTS");
  add_repeatable(command, "--weak", words->weak,
                 "NAME of 'let' that is stated for one GPU and grows with their number: weak scaling")
      ->type_name("NAME");
  add_rank_options(command, predict);
  add_repeatable(command, "--gpu", predict.gpus.gpus, "GPU instead of the cluster's; may be repeated");
  add_settings(command, predict.gpus.settings);
  add_real(command, "--l1-hit", predict.l1_hit, "hit rate of L1, for all kernels");
  add_real(command, "--l2-hit", predict.l2_hit,
           "hit rate of L2, for all kernels; of what is read, where L1's is predicted");
  command.add_option("--json", predict.json, "FILE or -: the curve as JSON instead of a table")
      ->type_name("FILE");
  command
      .add_option("--cache", predict.cache,
                  "FOLDER: results of simulations are kept there, and not computed again")
      ->type_name("FOLDER");
  add_number(command, "--threads", predict.threads, "worker threads per rank (default: all)");
  command.add_flag("--strict", predict.strict, "any assumption is an error");
  add_number(command, "--error-limit", predict.error_limit, "errors reported; 0: all (default 20)");
  return [words](const Session& session) { return run_scale(*words, session); };
}

} // namespace kerncast::app
