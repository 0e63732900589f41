// kerncast sweep SWEEP.toml -o RESULTS.sqlite: applications on GPUs with many values of their keys. Asked
// again it computes what is missing.
//
// The file's form: docs/sweeps.md; example of the table: views/sweep_views.h.
#include "commands/sweep.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "option_values.h"
#include "support/file_copies.h"
#include "support/files.h"
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

// A file that the command writes.
struct Output {
  const char* option;
  std::string file;
};

// What an output at this path would take the place of; empty: nothing.
std::string place_taken(const fs::path& path, const SweepWords& words) {
  if (path == written_path(words.file))
    return "the sweep file";
  const fs::path results = written_path(words.output);
  if (path == results)
    return "the file of results";
  for (const char* of_sqlite : {"-wal", "-shm", "-journal"})
    if (path == results.string() + of_sqlite)
      return "a file that SQLite keeps beside the results";
  return {};
}

// Before hours of work: an output that cannot be written, or that would take the place of the sweep, of its
// rows or of another output.
Expected<void> check_output(const Output& output, const Output& other, const SweepWords& words) {
  if (output.file.empty())
    return {};
  if (output.file == "-" && other.file == "-")
    return fail(fmt::format("{} and {}: both are standard output", output.option, other.option),
                "name a file for one of them");
  if (is_stream(output.file))
    return {};
  const fs::path path = written_path(output.file);
  if (const std::string taken = place_taken(path, words); !taken.empty())
    return fail(fmt::format("{}: '{}' is also {}", output.option, output.file, taken), "name another file");
  if (!other.file.empty() && path == written_path(other.file))
    return fail(fmt::format("{}: '{}' is also the file of {}", output.option, output.file, other.option),
                "name another file");
  if (std::error_code failed; !fs::is_directory(path.parent_path(), failed))
    return fail(fmt::format("{}: '{}' lies in no folder that is there", output.option, output.file),
                "make the folder, or name another file");
  return check_writable(output.file);
}

Expected<void> check_outputs(const SweepWords& words) {
  if (words.output.empty())
    return fail("-o: no file is named", "name a file for the results");
  const Output csv{"--csv", words.csv}, json{"--json", words.json};
  return check_output(csv, json, words).and_then([&] { return check_output(json, csv, words); });
}

// When the sweep and its applications are read: an output that would take the place of one of their files.
Expected<void> check_inputs(const SweepWords& words) {
  const std::set<std::string> inputs = file_copies::known();
  for (const Output& output : {Output{"-o", words.output}, {"--csv", words.csv}, {"--json", words.json}}) {
    if (output.file.empty() || is_stream(output.file))
      continue;
    const fs::path path = written_path(output.file);
    for (const std::string& input : inputs)
      if (path == written_path(input))
        return fail(fmt::format("{}: '{}' is also a file that the sweep reads", output.option, output.file),
                    "name another file");
  }
  return {};
}

Expected<SweepRun> run_of(const SweepWords& words, const TimeLimit& limit) {
  OptionValues values;
  SweepRun run;
  run.store = words.output;
  run.threads = values.number("--threads", words.threads, thread_bounds, 0);
  run.csv = words.csv;
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

// A rank that cannot go on must not leave the others waiting for it.
template <class T> cluster::Status agree(const Session& session, const Expected<T>& here) {
  return session.cluster.agree(here ? cluster::Status{}
                                    : cluster::Status{exit_bad_input, render(here.error())});
}

// Rank 0 writes.
cluster::Status on_root(const Session& session, Expected<void> (*check)(const SweepWords&),
                        const SweepWords& words) {
  return agree(session, session.cluster.is_root() ? check(words) : Expected<void>{});
}

Outcome run_sweep(const SweepWords& words, const Session& session) {
  const TimeLimit limit = parse_time_limit(words.time_limit);
  const StopRequest stop(limit.value_or(std::nullopt), session.cluster.ranks() > 1);
  const Expected<SweepRun> run = run_of(words, limit);
  if (const cluster::Status status = agree(session, run); status.exit_code != exit_done)
    return on_all_ranks(status);
  if (const cluster::Status status = on_root(session, check_outputs, words); status.exit_code != exit_done)
    return on_all_ranks(status);
  auto sweep = prepare_sweep(words.file, session.configs, run->threads, stop, session.cluster);
  if (!sweep)
    return on_all_ranks(std::move(sweep.error()));
  if (const cluster::Status status = on_root(session, check_inputs, words); status.exit_code != exit_done)
    return on_all_ranks(status);
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
