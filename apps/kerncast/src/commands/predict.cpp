// kerncast predict INPUT --gpu G [--gpu H ...]: the time of an application or a kernel, and what bounds it.
//
// Example of the table: views/prediction_table.h; the JSON's schema: docs/schemas/kerncast-prediction-1.
#include "predict/predict.h"

#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "lowering_steps.h"
#include "option_values.h"
#include "predict/models.h"
#include "views/application_timeline_json.h"
#include "views/model_table.h"
#include "views/prediction_json.h"
#include "views/prediction_table.h"
#include "views/ranks_timeline.h"
#include "views/timeline_json.h"

namespace kerncast::app {
namespace {

Outcome run_predict(const PredictWords& words, const Session& session) {
  const Expected<PredictOptions> options = check_options(words);
  if (!options)
    return bad_input(options.error());
  const Expected<PredictResult> predicted = predict(*options, words.gpus, session);
  if (!predicted)
    return bad_input(predicted.error());
  if (predicted->ended)
    return {predicted->ended->exit_code, {}, predicted->ended->message, {}, true};
  if (predicted->predictions.empty()) // not rank 0
    return {};
  if (const Diagnostics errors = assumptions_as_errors(predicted->predictions);
      options->strict && !errors.empty())
    return bad_input(errors);
  Outcome outcome = result(options->json, json_text(prediction_json(predicted->predictions)),
                           options->model == every_model ? model_table(predicted->predictions)
                                                         : prediction_table(predicted->predictions));
  outcome.err += predicted->notes;
  if (!options->timeline.empty() && predicted->predictions.front().cluster) {
    const Prediction& first = predicted->predictions.front();
    outcome.files.push_back({options->timeline, ranks_timeline_json(first)});
    outcome.err += ranks_timeline_note(first);
  }
  if (predicted->application) {
    outcome.files.push_back({options->timeline, application_timeline_json(*predicted->application)});
    outcome.err += application_timeline_note(*predicted->application);
  }
  if (predicted->timeline) {
    outcome.files.push_back({options->timeline, timeline_json(*predicted->timeline)});
    outcome.err += timeline_note(*predicted->timeline);
  }
  return outcome;
}

void add_model_options(CLI::App& command, PredictWords& words) {
  std::vector<std::string_view> names;
  for (const Model& model : models())
    names.push_back(model.name);
  command
      .add_option("--model", words.model,
                  fmt::format("{}, or {} for one table of the simulator and every closed form (default {})",
                              fmt::join(names, ", "), every_model, simulator))
      ->check([](const std::string& name) {
        const Expected<std::vector<const Model*>> found = find_models(name);
        return found ? std::string()
                     : fmt::format("{}; {}", found.error()[0].message, found.error()[0].notes[0]);
      });
  command.add_flag("--occupancy-curve", words.occupancy_curve,
                   "throughput of every model over the warps on an SM");
  command
      .add_option("--fidelity", words.fidelity,
                  "sm: one SM and its share of L2 and DRAM stands for all (default); gpu: every SM and every "
                  "slice of L2 is simulated")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"sm", "gpu"}));
  add_real(command, "--l1-hit", words.l1_hit, "hit rate of L1, for all kernels");
  add_real(command, "--l2-hit", words.l2_hit,
           "hit rate of L2, for all kernels; of what is read, where L1's is predicted");
  command.add_flag("--amat", words.average_hits,
                   "every access takes the average of hits and misses, not its own turn of them");
  command.add_flag("--exact", words.exact,
                   "simulate every CTA and iteration: no continuation along a steady rate");
  command
      .add_option("--assume-unknown", words.assume_unknown,
                  "charge operations without a row in the ISA table to this unit")
      ->type_name("UNIT");
  add_repeatable(command, "--without", words.without,
                 "leaves out a step of lowering: unrolling, promotion, fusion, if-conversion, scheduling ...")
      ->check(CLI::IsMember(lowering_steps()));
  command
      .add_option("--divisions", words.divisions,
                  "fast: their operands are ordinary numbers (default); slow: zeros, infinities or NaN send "
                  "every div.rn.f32 through its slow path (from Volta on)")
      ->type_name("WORD")
      ->check(CLI::IsMember({"fast", "slow"}));
  add_number(
      command, "--sample-launches", words.sample_launches,
      "distinct launches of a kernel that are simulated at most; times of the others follow from theirs");
  add_number(command, "--sample-ctas", words.sample_ctas, "CTAs executed at most to find those that differ");
}

void add_run_options(CLI::App& command, PredictWords& words) {
  command.add_option("--json", words.json, "FILE or -: the prediction as JSON instead of a table")
      ->type_name("FILE");
  command.add_flag(
      "--explain", words.explain,
      "where the cycles go: by warp state, PTX line and source line, and what bounds the kernel");
  command.add_flag(
      "--what-if", words.what_if,
      "--explain, and the gain if each latency, interval, bandwidth or limit were twice as good");
  command.add_flag("--no-interval", words.no_interval,
                   "do not simulate with what is uncertain changed, which says how sure the times are");
  command
      .add_option("--cache", words.cache,
                  "FOLDER: results of simulations are kept there, at most 1 GiB, and not computed again")
      ->type_name("FOLDER");
  command
      .add_option("--timeline", words.timeline,
                  "FILE: what host, streams and copy engines do, of one kernel what the warps and units of "
                  "an SM do, or with --cluster what all ranks do, in Chrome's trace format")
      ->type_name("FILE");
  command
      .add_option("--timeline-of", words.timeline_of,
                  "application or sm: whose timeline (default: sm for a kernel by itself)")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"application", "sm"}))
      ->needs("--timeline")
      ->excludes("--cluster");
  add_number(command, "--threads", words.threads, "worker threads per rank (default: all)");
  command.add_flag("--strict", words.strict, "any assumption is an error");
  add_number(command, "--error-limit", words.error_limit, "errors reported; 0: all (default 20)");
}

} // namespace

Run add_predict(CLI::App& command) {
  auto words = std::make_shared<PredictWords>();
  command.add_option("INPUT", words->input, "application file, PTX, tasklist or ppt_lanl file")->required();
  add_repeatable(command, "--gpu", words->gpus.gpus, "GPU of the database, or a file; may be repeated");
  add_settings(command, words->gpus.settings);
  command
      .add_option("--cluster", words->cluster,
                  "cluster of the database, or a file: runs all ranks of the application")
      ->type_name("CLUSTER");
  add_number(command, "--ranks", words->ranks, "ranks, instead of what the application says")
      ->needs("--cluster");
  add_rank_options(command, *words);
  add_launch_options(command, *words);
  add_number(command, "--repeat", words->repeat,
             "launches in a row, which find in L2 what the one before left")
      ->needs("--grid");
  add_fact_options(command, *words);
  add_model_options(command, *words);
  add_run_options(command, *words);
  return [words](const Session& session) { return run_predict(*words, session); };
}

} // namespace kerncast::app
