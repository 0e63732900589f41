// kerncast tasklist FILE [--kernel K] [--gpu G] [--format text|paper]: the tasklist of a file's kernels, with
// a GPU annotated with that GPU's machine operations (text, JSON) or summed latencies (the papers' form).
#include <memory>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "command.h"
#include "configs/compute_capability.h"
#include "gpu_options.h"
#include "input_kind.h"
#include "kernels.h"
#include "lowering_steps.h"
#include "machine/annotate.h"
#include "option_values.h"
#include "support/files.h"
#include "tasklist/paper_form.h"
#include "tasklist/text.h"
#include "tasklist/verify.h"
#include "views/tasklist_views.h"

namespace kerncast::app {
namespace {

struct TasklistOptions {
  std::string file;
  std::string kernel;
  std::string entry;
  std::string gpu;
  std::vector<std::string> settings;
  std::string format = "text";
  std::string assume_unknown;
  std::vector<std::string> without;
  std::string error_limit;
  std::string json;
};

Expected<std::vector<tasklist::Tasklist>> from_ptx(SourceText source, const TasklistOptions& options,
                                                   std::size_t error_limit,
                                                   const std::optional<configs::Gpu>& gpu) {
  // The papers' form has one line per PTX instruction, so nothing is cleaned away.
  lowering::LowerOptions lower = lower_options(options.without);
  lower.clean_up = options.format != "paper";
  lower.target = gpu ? configs::compute_capability(*gpu) : 0;
  return read_kernels(std::move(source), {error_limit, options.entry}, options.kernel, lower)
      .map([](KernelModule&& module) {
        std::vector<tasklist::Tasklist> lists;
        for (KernelCode& kernel : module.kernels)
          lists.push_back(std::move(kernel.list));
        return lists;
      });
}

Expected<std::vector<tasklist::Tasklist>> from_list(Expected<tasklist::Tasklist> list) {
  if (!list)
    return tl::unexpected(list.error());
  if (const Expected<void> verified = tasklist::verify(*list); !verified)
    return tl::unexpected(verified.error());
  return std::vector{std::move(*list)};
}

Expected<std::vector<tasklist::Tasklist>> read_lists(const TasklistOptions& options, std::size_t error_limit,
                                                     const std::optional<configs::Gpu>& gpu) {
  Expected<SourceText> source = read_source(options.file);
  if (!source)
    return tl::unexpected(source.error());
  if (const Expected<void> allowed = check_entry(*source, options.entry); !allowed)
    return tl::unexpected(allowed.error());
  switch (kind_of(*source)) {
  case InputKind::ptx:
  case InputKind::container:
    return from_ptx(std::move(*source), options, error_limit, gpu);
  case InputKind::tasklist_text:
    return from_list(tasklist::read_text(*source));
  case InputKind::tasklist_paper:
    return from_list(tasklist::read_paper(*source));
  default:
    return fail(source->error({1, 1}, 1, "neither PTX nor a tasklist",
                              {"'kerncast check' says what kind of file it is"}));
  }
}

Expected<std::vector<AnnotatedList>> annotate_lists(std::vector<tasklist::Tasklist> lists,
                                                    const TasklistOptions& options,
                                                    const std::optional<configs::Gpu>& gpu) {
  machine::AnnotateOptions annotate = annotate_options(options.without);
  if (!options.assume_unknown.empty())
    annotate.assume_unknown = options.assume_unknown;
  std::vector<AnnotatedList> annotated;
  Diagnostics errors;
  for (tasklist::Tasklist& list : lists) {
    AnnotatedList& one = annotated.emplace_back();
    one.list = std::move(list);
    // The papers' form needs latencies only, and its lists need not be complete enough to run.
    if (!gpu || (options.format == "paper" && options.json.empty()))
      continue;
    Expected<machine::MachineProgram> program = machine::annotate(one.list, *gpu, annotate);
    if (program)
      one.program = std::move(*program);
    else
      errors.insert(errors.end(), program.error().begin(), program.error().end());
  }
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return annotated;
}

Outcome run_tasklist(const TasklistOptions& options, const Session& session) {
  OptionValues values;
  const std::size_t error_limit = values.number("--error-limit", options.error_limit, {}, 20);
  if (!values.errors.empty())
    return bad_input(values.errors);
  std::optional<configs::Gpu> gpu;
  if (!options.gpu.empty()) {
    Expected<configs::Gpu> loaded = load_gpu(options.gpu, options.settings, session.configs);
    if (!loaded)
      return bad_input(loaded.error());
    gpu = std::move(*loaded);
  }
  const Expected<std::vector<AnnotatedList>> lists =
      read_lists(options, error_limit, gpu).and_then([&](std::vector<tasklist::Tasklist>&& read) {
        return annotate_lists(std::move(read), options, gpu);
      });
  if (!lists)
    return bad_input(lists.error());
  if (!options.json.empty())
    return result(options.json, json_text(tasklists_json(*lists, gpu)), "");
  return say(options.format == "paper" ? paper_text(*lists, gpu) : tasklists_text(*lists, gpu));
}

} // namespace

Run add_tasklist(CLI::App& command) {
  auto options = std::make_shared<TasklistOptions>();
  command.add_option("FILE", options->file, "PTX, a program with PTX in it, or a tasklist")->required();
  command.add_option("--kernel", options->kernel, "only this kernel")->type_name("NAME");
  add_entry(command, options->entry);
  CLI::Option* gpu = command.add_option("--gpu", options->gpu, "GPU of the database, or a file");
  add_settings(command, options->settings)->needs(gpu);
  command.add_option("--format", options->format, "text (default) or paper")
      ->check(CLI::IsMember({"text", "paper"}));
  command
      .add_option("--assume-unknown", options->assume_unknown,
                  "charge operations without a row in the ISA table to this unit")
      ->type_name("UNIT")
      ->needs(gpu);
  add_repeatable(command, "--without", options->without,
                 "leaves out a step of lowering: unrolling, promotion, fusion, if-conversion, scheduling ...")
      ->check(CLI::IsMember(lowering_steps()));
  command.add_option("--json", options->json, "FILE or -: as JSON")->type_name("FILE");
  add_number(command, "--error-limit", options->error_limit, "errors reported; 0: all (default 20)");
  return [options](const Session& session) { return run_tasklist(*options, session); };
}

} // namespace kerncast::app
