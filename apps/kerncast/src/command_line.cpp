#include "command_line.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "commands/sweep.h"
#include "support/suggest.h"

namespace kerncast::app {
namespace {

constexpr Command command_table[] = {
    {"check", "parses and verifies any input and says what is in it", add_check},
    {"tasklist", "prints the tasklist of the kernels of a PTX file", add_tasklist},
    {"occupancy", "resident CTAs and warps per SM, and what limits them", add_occupancy},
    {"predict", "predicts the time of an application or a kernel", add_predict},
    {"scale", "predicts an application on a cluster with more and more GPUs", add_scale},
    {"run", "executes kernels with real memory and says what the buffers hold", add_run},
    {"sweep", "predicts applications on GPUs with many values of their keys, and keeps the results",
     add_sweep},
    {"validate", "predictions beside what was published or measured, with the errors", add_validate},
    {"microbench", "runs microbenchmarks on a described GPU, and compares with the description",
     add_microbench},
    {"gpus", "the GPU database", add_gpus},
};

Outcome usage_error(const std::string& message, const std::string& note) {
  return {exit_usage, {}, fmt::format("error: {}\nnote: {}\n", message, note), {}, false};
}

Outcome unknown_command(const std::string& word) {
  std::vector<std::string_view> names;
  for (const Command& command : command_table)
    names.push_back(command.name);
  const std::string near = nearest(word, names);
  return usage_error(fmt::format("unknown command '{}'", word),
                     near.empty() ? fmt::format("commands: {}", fmt::join(names, ", "))
                                  : fmt::format("did you mean '{}'?", near));
}

bool is_command(std::string_view word) {
  return std::any_of(std::begin(command_table), std::end(command_table),
                     [&](const Command& c) { return c.name == word; });
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// Of an option that may be left out an empty value, as of a script's variable that is not set, would count as
// if it were.
void refuse_empty_values(CLI::App& command) {
  for (CLI::Option* option : command.get_options())
    if (option->nonpositional() && !option->get_required() && option->get_type_size() > 0)
      option->check([](const std::string& value) { return std::string(value.empty() ? "is empty" : ""); });
  for (CLI::App* sub : command.get_subcommands({}))
    refuse_empty_values(*sub);
}

} // namespace

std::span<const Command> commands() { return command_table; }

Outcome run_command_line(std::vector<std::string> words, const Session& session) {
  if (!words.empty() && !words[0].starts_with("-") && !is_command(words[0]))
    return unknown_command(words[0]);
  CLI::App app(
      "kerncast predicts how long CUDA kernels and applications take on a GPU that is only described.",
      "kerncast");
  app.set_version_flag("--version", "kerncast " KERNCAST_VERSION);
  app.require_subcommand(1);
  std::map<const CLI::App*, Run> runs;
  for (const Command& command : command_table) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    runs.emplace(sub, command.add(*sub));
    refuse_empty_values(*sub);
  }
  try {
    std::reverse(words.begin(), words.end()); // CLI11 takes words from the end
    app.parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    std::ostringstream out;
    std::ostringstream err;
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      app.exit(e, out, err); // --help or --version
      return say(out.str());
    }
    return usage_error(one_line(e.what()), "'kerncast COMMAND --help' lists the options");
  }
  return runs.at(app.get_subcommands().front())(session);
}

} // namespace kerncast::app
