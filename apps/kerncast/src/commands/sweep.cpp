// kerncast sweep SWEEP.toml -o RESULTS.sqlite: applications on GPUs with many values of their keys. Asked
// again it computes what is missing.
//
// The file's form: docs/sweeps.md; example of the table: views/sweep_views.h.
#include "commands/sweep.h"

#include <memory>

#include <fmt/format.h>

#include "option_values.h"
#include "support/file_copies.h"
#include "support/files.h"
#include "sweep/run_job.h"
#include "views/json_text.h"
#include "views/sweep_views.h"

namespace kerncast::app {
namespace {

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
  const Expected<sweep::Analysis> analysis = sweep::analyse(job.file, job.plan, ran.results);
  if (!analysis)
    return bad_input(analysis.error());
  Outcome outcome =
      result(words.json, json_text(sweep_json(job, ran, *analysis)), sweep_table(job, ran, *analysis));
  outcome.err = sweep_warnings(ran);
  if (!words.csv.empty())
    outcome.files.push_back({words.csv, ran.csv});
  return outcome;
}

Expected<SweepRun> run_of(const SweepWords& words) {
  OptionValues values;
  SweepRun run;
  run.store = words.output;
  run.threads = values.number("--threads", words.threads, thread_bounds, 0);
  run.csv = !words.csv.empty();
  if (!values.errors.empty())
    return tl::unexpected(values.errors);
  if (words.cache.empty())
    return run;
  return engine::ResultCache::open(words.cache).map([&](engine::ResultCache cache) {
    run.cache = std::move(cache);
    return run;
  });
}

// On rank 0 from the file system; its copies of all that the sweep needs go to the others.
Expected<SourceText> read_once(const SweepWords& words, const Session& session) {
  if (session.cluster.ranks() == 1)
    return read_source(words.file);
  if (session.cluster.is_root()) {
    file_copies::begin();
    if (const Expected<SourceText> source = read_source(words.file))
      read_files(*source, session.configs, 0);
  }
  const std::string copies = session.cluster.broadcast(file_copies::end());
  file_copies::provide(copies);
  return read_source(words.file);
}

Outcome run_sweep(const SweepWords& words, const Session& session) {
  const Expected<SweepRun> run = run_of(words);
  const Expected<std::optional<std::chrono::seconds>> limit = parse_time_limit(words.time_limit);
  Expected<SourceText> source = read_once(words, session);
  Diagnostics errors;
  const auto add = [&](const Diagnostics& more) { errors.insert(errors.end(), more.begin(), more.end()); };
  if (!run)
    add(run.error());
  if (!limit)
    add(limit.error());
  if (!source)
    add(source.error());
  const Expected<SweepJob> job = errors.empty()
                                     ? prepare_sweep(std::move(*source), session.configs, run->threads)
                                     : tl::unexpected(errors);
  // A rank that could not prepare must not leave the others waiting for it.
  const cluster::Status status =
      session.cluster.agree(job ? cluster::Status{} : cluster::Status{exit_bad_input, render(job.error())});
  if (status.exit_code != exit_done)
    return {status.exit_code, {}, status.message, {}, true};
  const StopRequest stop(*limit);
  const Expected<SweepOutcome> ran = run_sweep_job(*job, *run, stop, session.cluster);
  if (!ran)
    return bad_input(ran.error());
  return session.cluster.is_root() ? answer(*job, *ran, words) : Outcome{};
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
