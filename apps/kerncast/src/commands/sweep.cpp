// kerncast sweep SWEEP.toml -o RESULTS.sqlite: applications on GPUs with many values of their keys. Asked
// again it computes what is missing.
//
// The file's form: docs/sweeps.md; example of the table: views/sweep_views.h.
#include "commands/sweep.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "option_values.h"
#include "sweep/run_job.h"
#include "views/json_text.h"
#include "views/sweep_views.h"

namespace kerncast::app {
namespace {

namespace fs = std::filesystem;

using TimeLimit = Expected<std::optional<std::chrono::seconds>>;

struct SweepWords {
  std::string file;
  std::string output;
  std::string csv;
  std::string json;
  std::string time_limit;
  std::string threads;
  std::string cache;
};

Outcome stopped(const SweepOutcome& ran, const std::string& output) {
  return {exit_stopped,
          {},
          fmt::format("note: stopped by {}: {} of {} rows are in {}\nnote: ask again to compute the others\n",
                      ran.stopped, ran.there + ran.computed, ran.rows, output),
          {},
          false};
}

Outcome answer(const SweepJob& job, const SweepOutcome& ran, const SweepWords& words) {
  if (!ran.stopped.empty())
    return stopped(ran, words.output);
  Outcome outcome = result(words.json, json_text(sweep_json(job, ran)), sweep_table(job, ran));
  outcome.err = sweep_warnings(ran);
  return outcome;
}

// Before hours of work: an output that cannot be written, or that would take the place of the sweep or of its
// rows.
Expected<void> check_output(const char* option, const std::string& file, const SweepWords& words) {
  if (file.empty() || file == "-")
    return {};
  std::error_code failed;
  const fs::path path = fs::weakly_canonical(fs::absolute(file), failed);
  for (const std::string* other : {&words.file, &words.output})
    if (!failed && path == fs::weakly_canonical(fs::absolute(*other), failed))
      return fail(fmt::format("{}: '{}' is also the {}", option, file,
                              other == &words.file ? "sweep file" : "file of results"),
                  "name another file");
  if (!fs::is_directory(path.parent_path(), failed))
    return fail(fmt::format("{}: '{}' lies in no folder that is there", option, file),
                "make the folder, or name another file");
  return {};
}

Expected<SweepRun> run_of(const SweepWords& words, const TimeLimit& limit) {
  OptionValues values;
  SweepRun run;
  run.store = words.output;
  run.threads = values.number("--threads", words.threads, thread_bounds, 0);
  run.csv = words.csv;
  for (const Expected<void>& checked :
       {check_output("--csv", words.csv, words), check_output("--json", words.json, words)})
    if (!checked)
      values.errors.insert(values.errors.end(), checked.error().begin(), checked.error().end());
  if (!limit)
    values.errors.insert(values.errors.end(), limit.error().begin(), limit.error().end());
  if (!values.errors.empty())
    return tl::unexpected(values.errors);
  if (words.cache.empty())
    return run;
  return engine::ResultCache::open(words.cache).map([&](engine::ResultCache cache) {
    run.cache = std::move(cache);
    return run;
  });
}

Outcome on_all_ranks(cluster::Status failed) {
  return {failed.exit_code, {}, std::move(failed.message), {}, true};
}

Outcome run_sweep(const SweepWords& words, const Session& session) {
  const TimeLimit limit = parse_time_limit(words.time_limit);
  const StopRequest stop(limit.value_or(std::nullopt), session.cluster.ranks() > 1);
  const Expected<SweepRun> run = run_of(words, limit);
  // A rank that cannot go on must not leave the others waiting for it.
  const cluster::Status status =
      session.cluster.agree(run ? cluster::Status{} : cluster::Status{exit_bad_input, render(run.error())});
  if (status.exit_code != exit_done)
    return on_all_ranks(status);
  auto sweep = prepare_sweep(words.file, session.configs, run->threads, stop, session.cluster);
  if (!sweep)
    return on_all_ranks(std::move(sweep.error()));
  const Expected<SweepOutcome> ran = run_sweep_job(*sweep, *run, stop, session.cluster);
  if (!ran)
    return bad_input(ran.error());
  return session.cluster.is_root() ? answer(sweep->job, *ran, words) : Outcome{};
}

} // namespace

Run add_sweep(CLI::App& command) {
  auto words = std::make_shared<SweepWords>();
  command.add_option("SWEEP", words->file, "sweep file (.toml)")->required();
  command
      .add_option("-o,--output", words->output, "FILE: results, an SQLite database; what is there is kept")
      ->required()
      ->type_name("FILE");
  command.add_option("--csv", words->csv, "FILE or -: all rows in the order of their keys")
      ->type_name("FILE");
  command.add_option("--json", words->json, "FILE or -: the summary as JSON instead of a table")
      ->type_name("FILE");
  command
      .add_option("--time-limit", words->time_limit,
                  "90s, 10m, 2h or 1:30:00: stop by then, with exit code 75; asked again it goes on")
      ->type_name("TIME");
  command
      .add_option("--cache", words->cache,
                  "FOLDER: results of simulations are kept there, at most 1 GiB, and not computed again")
      ->type_name("FOLDER");
  add_number(command, "--threads", words->threads, "worker threads per rank (default: all)");
  return [words](const Session& session) { return run_sweep(*words, session); };
}

} // namespace kerncast::app
