// kerncast validate SUITE...: predictions beside what was published or measured, with the errors.
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "gpu_options.h"
#include "option_values.h"
#include "support/suggest.h"
#include "validate/require.h"
#include "validate/suites.h"
#include "views/validation_views.h"

namespace kerncast::app {
namespace {

struct ValidateWords {
  std::vector<std::string> suites;
  std::vector<std::string> requirements;
  std::string json;
  std::string csv;
  std::string map;
  std::string ptx;
  std::string threads;
  std::string worst;
  std::string report;
  bool stages = false;
};

struct Chosen {
  const Suite* suite = nullptr;
  std::string file;
};

std::vector<std::string_view> suite_names() {
  std::vector<std::string_view> names;
  for (const Suite& suite : suites())
    names.push_back(suite.name);
  return names;
}

// A suite that takes a file takes the next word.
Expected<std::vector<Chosen>> choose(const std::vector<std::string>& words) {
  std::vector<Chosen> chosen;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto suite = std::ranges::find(suites(), words[i], &Suite::name);
    if (suite == suites().end()) {
      const std::string near = nearest(words[i], suite_names());
      return fail(fmt::format("unknown suite '{}'", words[i]),
                  near.empty() ? fmt::format("suites: {}", fmt::join(suite_names(), ", "))
                               : fmt::format("did you mean '{}'?", near));
    }
    if (suite->takes_file && ++i == words.size())
      return fail(fmt::format("the suite {} takes a file", suite->name),
                  fmt::format("write 'kerncast validate {} FILE.csv'", suite->name));
    chosen.push_back({&*suite, suite->takes_file ? words[i] : std::string()});
  }
  return chosen;
}

Expected<std::vector<Requirement>> requirements_of(const ValidateWords& words) {
  std::vector<Requirement> requirements;
  for (const std::string& text : words.requirements) {
    Expected<Requirement> one = parse_requirement(text);
    if (!one)
      return tl::unexpected(one.error());
    requirements.push_back(std::move(*one));
  }
  return requirements;
}

Outcome outcome_of(const ValidateWords& words, const Report& report, const std::vector<Verdict>& verdicts) {
  Outcome outcome =
      result(words.json, json_text(validation_json(report, verdicts)), validation_text(report, verdicts));
  if (!words.csv.empty())
    outcome.files.push_back({words.csv, validation_csv(report)});
  if (!words.report.empty())
    outcome.files.push_back({words.report, validation_markdown(report, verdicts)});
  for (const Verdict& verdict : verdicts) {
    if (verdict.broken.empty())
      continue;
    outcome.exit_code = exit_bound_broken;
    outcome.err += fmt::format("error: --require '{}' does not hold: {}\n", verdict.requirement,
                               fmt::join(verdict.broken, "; "));
  }
  for (OutputFile& file : outcome.files)
    file.tells_errors = true;
  outcome.agreed = true; // there is one rank
  return outcome;
}

// --stages and --worst are about launches that were measured.
void expect_measured(const ValidateWords& words, const std::vector<Chosen>& chosen, OptionValues& values) {
  if (std::ranges::any_of(chosen, [](const Chosen& one) { return one.suite->name == "measured"; }))
    return;
  const std::pair<const char*, bool> options[] = {{"--stages", words.stages},
                                                  {"--worst", !words.worst.empty()}};
  for (const auto& [name, is_given] : options)
    if (is_given)
      values.error(fmt::format("{} is about the suite measured", name),
                   fmt::format("write 'kerncast validate measured FILE.csv --map MAP.json {}'", name));
}

Outcome run_validate(const ValidateWords& words, const Session& session) {
  const Expected<std::vector<Chosen>> chosen = choose(words.suites);
  const Expected<std::vector<Requirement>> requirements = requirements_of(words);
  for (const Diagnostics& errors :
       {chosen ? Diagnostics{} : chosen.error(), requirements ? Diagnostics{} : requirements.error()})
    if (!errors.empty())
      return {exit_usage, {}, render(errors), {}, false};
  OptionValues values;
  constexpr std::uint64_t max_threads = 1024;
  const std::size_t threads = values.number("--threads", words.threads, {1, max_threads}, 0);
  constexpr std::uint64_t max_worst = 1000000;
  const std::size_t worst = values.number("--worst", words.worst, {1, max_worst}, 0);
  expect_measured(words, *chosen, values);
  if (session.cluster.ranks() > 1)
    values.error("validate runs on one rank", "leave out mpirun; --threads spreads the work");
  if (!values.errors.empty())
    return bad_input(values.errors);
  Report report;
  for (const Chosen& one : *chosen)
    if (const Expected<void> done =
            one.suite->run({one.file, words.map, words.ptx, threads, session, words.stages, worst}, report);
        !done)
      return bad_input(done.error());
  if (const Expected<void> done = summarize(report); !done)
    return bad_input(done.error());
  const Expected<std::vector<Verdict>> verdicts = judge(*requirements, report);
  return verdicts ? outcome_of(words, report, *verdicts) : bad_input(verdicts.error());
}

} // namespace

Run add_validate(CLI::App& command) {
  auto words = std::make_shared<ValidateWords>();
  command
      .add_option("SUITE", words->suites,
                  fmt::format("{}; with its FILE.csv", fmt::join(suite_names(), ", ")))
      ->required();
  add_repeatable(
      command, "--require", words->requirements,
      "a bound like 'mape<=10' or 'rtx2080ti.cycles.spearman>=0.95'; exit code 4 if it does not hold")
      ->type_name("BOUND");
  command.add_option("--map", words->map, "measured: how the table's rows become launches, as JSON")
      ->type_name("FILE");
  command.add_option("--ptx", words->ptx, "measured: PTX of a row; {NAME} stands for what the row says")
      ->type_name("PATH");
  command.add_flag("--stages", words->stages,
                   "measured: the errors with nothing given, registers, and hit rates, as measured");
  add_number(command, "--worst", words->worst,
             "measured: so many of the worst rows of a kernel and GPU, and what parts in them");
  command.add_option("--json", words->json, "FILE or -: the statistics as JSON")->type_name("FILE");
  command.add_option("--csv", words->csv, "FILE or -: every number compared, one a row")->type_name("FILE");
  command.add_option("--report", words->report, "FILE or -: all tables as Markdown")->type_name("FILE");
  add_number(command, "--threads", words->threads, "worker threads (default: all)");
  return [words](const Session& session) { return run_validate(*words, session); };
}

} // namespace kerncast::app
