// kerncast check FILE... [--format text|ptx]: parses and verifies any input and says what is in it, or prints
// the PTX that was understood.
//
//   hotspot.ptx: PTX 9.0 for sm_75: 1 kernel (calculate_temp)
//   app.json: application hotspot: 1 module, 3 buffers, 5 events, 1 launch (1 distinct) of 1 kernel
#include <memory>

#include <CLI/CLI.hpp>

#include "checks.h"
#include "command.h"
#include "option_values.h"
#include "parallel/run.h"
#include "views/check_json.h"

namespace kerncast::app {
namespace {

struct CheckCommandOptions {
  std::vector<std::string> files;
  std::string format = "text";
  std::string entry;
  std::string error_limit;
  std::string threads;
  std::string json;
};

Expected<CheckedFile> say_about(const std::string& file, const CheckCommandOptions& options,
                                const CheckOptions& checks) {
  if (options.format == "ptx")
    return print_ptx(file, checks).map([](std::string&& text) { return CheckedFile{std::move(text), {}}; });
  return check_file(file, checks).map([&](CheckedFile&& checked) {
    if (options.json.empty())
      checked.summary = file + ": " + checked.summary + "\n";
    return std::move(checked);
  });
}

// The files are read side by side and told of in the order given.
std::vector<FileReport> reports_of(const CheckCommandOptions& options, const CheckOptions& checks) {
  std::vector<FileReport> reports(options.files.size());
  parallel::for_each_index(reports.size(), checks.threads, [&](std::size_t i) {
    const std::string& file = options.files[i];
    const Expected<CheckedFile> said = say_about(file, options, checks);
    if (said)
      reports[i] = {file, said->summary, said->warnings};
    else
      reports[i] = {file, {}, said.error()};
  });
  return reports;
}

Outcome run_check(const CheckCommandOptions& options, const Session& session) {
  OptionValues values;
  CheckOptions checks{session.configs};
  checks.entry = options.entry;
  checks.error_limit = values.number("--error-limit", options.error_limit, {}, checks.error_limit);
  checks.threads = values.number("--threads", options.threads, thread_bounds, 0);
  if (!values.errors.empty())
    return bad_input(values.errors);
  const std::vector<FileReport> reports = reports_of(options, checks);
  Outcome outcome;
  for (const FileReport& report : reports) {
    outcome.out += report.summary.value_or("");
    outcome.err += render(report.diagnostics);
    if (!report.summary)
      outcome.exit_code = exit_bad_input;
  }
  if (!options.json.empty() || outcome.exit_code != exit_done)
    outcome.out.clear();
  if (options.json == "-")
    outcome.out = json_text(check_json(reports));
  else if (!options.json.empty())
    outcome.files.push_back({options.json, json_text(check_json(reports)), true});
  // Every rank reads the same files and finds the same.
  outcome.agreed = true;
  return outcome;
}

} // namespace

Run add_check(CLI::App& command) {
  auto options = std::make_shared<CheckCommandOptions>();
  command
      .add_option("FILE", options->files,
                  "PTX, programs with PTX, applications, GPU files, tasklists, ppt_lanl files")
      ->required();
  command
      .add_option("--format", options->format, "text (default): what is in each file; ptx: its PTX, printed")
      ->check(CLI::IsMember({"text", "ptx"}));
  add_entry(command, options->entry);
  command.add_option("--json", options->json, "FILE or -: what was found, errors included, as JSON")
      ->type_name("FILE");
  add_number(command, "--error-limit", options->error_limit, "errors reported per file; 0: all (default 20)");
  add_number(command, "--threads", options->threads, "worker threads per rank (default: all)");
  return [options](const Session& session) { return run_check(*options, session); };
}

} // namespace kerncast::app
