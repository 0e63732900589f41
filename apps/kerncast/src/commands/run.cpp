// kerncast run K.ptx --kernel K --grid G --block B --arg ..., or an application file: executes the kernels,
// every instruction, and says what the buffers hold then.
#include "run/run.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "gpu_options.h"
#include "option_values.h"
#include "predict/options.h"
#include "views/run_views.h"

namespace kerncast::app {
namespace {

// What kernels print comes before what is said of them: on standard output, but for errors and where JSON has
// that to itself.
Outcome with_printed(Outcome outcome, const RunWords& words, const std::string& printed) {
  std::string& to = outcome.exit_code != exit_done || words.input.json == "-" ? outcome.err : outcome.out;
  const bool is_cut_off = !printed.empty() && printed.back() != '\n';
  to.insert(0, printed + (is_cut_off ? "\n" : ""));
  return outcome;
}

Outcome run_run(const RunWords& words) {
  std::string printed;
  Expected<Executed> executed = execute(words, printed);
  if (!executed)
    return with_printed(bad_input(executed.error()), words, printed);
  Outcome outcome =
      result(words.input.json, json_text(run_json(executed->report)), run_text(executed->report));
  outcome.err = render(executed->report.warnings);
  outcome = with_printed(std::move(outcome), words, printed);
  for (OutputFile& file : executed->files)
    outcome.files.push_back(std::move(file));
  return outcome;
}

} // namespace

Run add_run(CLI::App& command) {
  auto words = std::make_shared<RunWords>();
  command.add_option("INPUT", words->input.input, "PTX, a program with PTX in it, or an application file")
      ->required();
  add_launch_options(command, words->input);
  add_repeatable(command, "--output", words->outputs,
                 "BUFFER=FILE: writes what a buffer holds in the end; a buffer of --arg is named by the "
                 "argument's number, from 1")
      ->type_name("BUFFER=FILE");
  add_number(command, "--max-visits", words->max_visits,
             "blocks that a warp may visit, those with many operations counted more, before the kernel is "
             "taken to be endless");
  command.add_flag("--allow-races", words->allow_races,
                   "do not look for threads that meet in memory without a barrier");
  add_number(command, "--threads", words->input.threads, "worker threads (default: all)");
  command.add_option("--json", words->input.json, "FILE or -: as JSON")->type_name("FILE");
  add_number(command, "--error-limit", words->input.error_limit, "errors reported; 0: all (default 20)");
  return [words](const Session&) { return run_run(*words); };
}

} // namespace kerncast::app
