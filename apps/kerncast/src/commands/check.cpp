// kerncast check FILE... [--format text|ptx]: parses and verifies any input and says what is in it, or prints
// the PTX that was understood.
//
//   hotspot.ptx: PTX 9.0 for sm_75: 1 kernel (calculate_temp)
//   app.json: application hotspot: 1 module, 3 buffers, 5 events, 1 launch (1 distinct) of 1 kernel
#include <memory>

#include "checks.h"
#include "command.h"
#include "option_values.h"
#include "support/files.h"

namespace kerncast::app {
namespace {

struct CheckCommandOptions {
  std::vector<std::string> files;
  std::string format = "text";
  std::string entry;
  std::string error_limit;
};

Expected<CheckedFile> say_about(const std::string& file, const CheckCommandOptions& options,
                                const CheckOptions& checks) {
  if (options.format == "ptx")
    return print_ptx(file, checks).map([](std::string&& text) { return CheckedFile{std::move(text), {}}; });
  return check_file(file, checks).map([&](CheckedFile&& checked) {
    checked.summary = file + ": " + checked.summary + "\n";
    return std::move(checked);
  });
}

Outcome run_check(const CheckCommandOptions& options, const Session& session) {
  OptionValues values;
  CheckOptions checks{session.configs};
  checks.entry = options.entry;
  checks.error_limit = values.number("--error-limit", options.error_limit, {}, checks.error_limit);
  if (!values.errors.empty())
    return bad_input(values.errors);
  std::string text;
  Diagnostics errors;
  Diagnostics warnings;
  for (const std::string& file : options.files) {
    const Expected<CheckedFile> said = say_about(file, options, checks);
    if (!said) {
      errors.insert(errors.end(), said.error().begin(), said.error().end());
      continue;
    }
    text += said->summary;
    warnings.insert(warnings.end(), said->warnings.begin(), said->warnings.end());
  }
  Outcome outcome = errors.empty() ? say(text) : bad_input(errors);
  outcome.err = render(warnings) + outcome.err;
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
  add_number(command, "--error-limit", options->error_limit, "errors reported per file; 0: all (default 20)");
  return [options](const Session& session) { return run_check(*options, session); };
}

} // namespace kerncast::app
