// kerncast occupancy --gpu G --block N --regs R [--smem B] [--grid N], or FILE.ptx [--kernel K] --gpu G
// --block N: resident CTAs and warps per SM, and what limits them.
//
//   6 CTAs per SM, 48 of 64 warps (75 %), limited by registers
#include <memory>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "application/read.h"
#include "command.h"
#include "configs/occupancy.h"
#include "gpu_options.h"
#include "kernels.h"
#include "machine/annotate.h"
#include "option_values.h"
#include "support/files.h"
#include "views/json_text.h"

namespace kerncast::app {
namespace {

struct OccupancyOptions {
  std::string file;
  std::string kernel;
  std::string entry;
  std::string gpu;
  std::vector<std::string> settings;
  std::string grid;
  std::string block;
  std::string registers;
  std::string shared;
  std::string json;
};

struct Question {
  configs::CtaResources cta;
  std::vector<std::string> assumptions;
};

Expected<configs::CtaResources> resources_of(const OccupancyOptions& options) {
  OptionValues values;
  configs::CtaResources cta;
  cta.threads_per_cta = static_cast<std::uint32_t>(values.block(options.block).count());
  cta.grid_ctas = options.grid.empty() ? 0 : values.grid(options.grid).count();
  cta.registers_per_thread =
      values.optional_number("--regs", options.registers, {1, application::max_registers}).value_or(0);
  cta.shared_bytes_per_cta = static_cast<std::uint32_t>(
      values.number("--smem", options.shared, {0, application::max_dynamic_shared_bytes}, 0));
  if (!values.errors.empty())
    return tl::unexpected(std::move(values.errors));
  return cta;
}

// What the kernel itself needs: its static shared memory, and registers unless they are given.
Expected<Question> add_kernel(Question question, const OccupancyOptions& options, const configs::Gpu& gpu) {
  Expected<SourceText> source = read_source(options.file);
  if (!source)
    return tl::unexpected(source.error());
  const Expected<KernelCode> code = read_kernel(std::move(*source), {20, options.entry}, options.kernel);
  if (!code)
    return tl::unexpected(code.error());
  question.assumptions = code->list.assumptions;
  question.cta.shared_bytes_per_cta += code->list.static_shared_bytes;
  if (question.cta.registers_per_thread != 0)
    return question;
  const Expected<machine::MachineProgram> program = machine::annotate(code->list, gpu);
  if (!program)
    return tl::unexpected(program.error());
  question.cta.registers_per_thread = program->registers_estimated;
  question.cta.registers_per_thread = configs::fitting_registers(question.cta, gpu);
  question.assumptions.push_back(
      fmt::format("registers: {} per thread estimated from liveness (no --regs given){}",
                  question.cta.registers_per_thread,
                  configs::beyond_fitting(program->registers_estimated, question.cta)));
  return question;
}

std::string to_text(const configs::Occupancy& occupancy, const Question& question, const configs::Gpu& gpu) {
  std::string text = fmt::format("{}: {} CTAs per SM, {} of {} warps ({:.4g} %), limited by {}\n", gpu.name,
                                 occupancy.ctas_per_sm, occupancy.warps_per_sm, gpu.limits.warps_per_sm,
                                 100 * occupancy.fraction, configs::name(occupancy.limiter));
  for (const std::string& assumption : question.assumptions)
    text += fmt::format("assumption: {}\n", assumption);
  return text;
}

Json to_json(const configs::Occupancy& occupancy, const Question& question, const configs::Gpu& gpu) {
  return {{"gpu", gpu.name},
          {"ctas_per_sm", occupancy.ctas_per_sm},
          {"warps_per_sm", occupancy.warps_per_sm},
          {"fraction", occupancy.fraction},
          {"limiter", std::string(configs::name(occupancy.limiter))},
          {"threads_per_cta", question.cta.threads_per_cta},
          {"registers", question.cta.registers_per_thread},
          {"shared_bytes_per_cta", question.cta.shared_bytes_per_cta},
          {"assumptions", question.assumptions}};
}

Outcome run_occupancy(const OccupancyOptions& options, const Session& session) {
  if (options.file.empty() && options.registers.empty())
    return {exit_usage, {}, "error: --regs is missing\nnote: give --regs, or a PTX file\n", {}, false};
  const Expected<configs::CtaResources> resources = resources_of(options);
  const Expected<configs::Gpu> gpu = load_gpu(options.gpu, options.settings, session.configs);
  if (!resources || !gpu) {
    Diagnostics errors = resources ? Diagnostics{} : resources.error();
    if (!gpu)
      errors.insert(errors.end(), gpu.error().begin(), gpu.error().end());
    return bad_input(errors);
  }
  Expected<Question> question = Question{*resources, {}};
  if (!options.file.empty())
    question = add_kernel(std::move(*question), options, *gpu);
  if (!question)
    return bad_input(question.error());
  const Expected<configs::Occupancy> answer = configs::occupancy(question->cta, *gpu);
  if (!answer)
    return bad_input(answer.error());
  return result(options.json, json_text(to_json(*answer, *question, *gpu)),
                to_text(*answer, *question, *gpu));
}

} // namespace

Run add_occupancy(CLI::App& command) {
  auto options = std::make_shared<OccupancyOptions>();
  CLI::Option* file = command.add_option("FILE", options->file,
                                         "PTX, or a program with PTX, that states what a kernel needs");
  command.add_option("--kernel", options->kernel, "kernel of a PTX file with several")
      ->type_name("NAME")
      ->needs(file);
  add_entry(command, options->entry)->needs(file);
  command.add_option("--gpu", options->gpu, "GPU of the database, or a file")->required();
  add_settings(command, options->settings);
  add_extent(command, "--block", options->block, "threads of a CTA")->required();
  add_extent(command, "--grid", options->grid, "CTAs of the launch: few of them may not fill an SM");
  add_number(command, "--regs", options->registers, "registers per thread (with FILE: else estimated)");
  add_number(command, "--smem,--dynamic-smem", options->shared,
             "bytes of shared memory per CTA (with FILE: beside the static ones)");
  command.add_option("--json", options->json, "FILE or -: as JSON")->type_name("FILE");
  return [options](const Session& session) { return run_occupancy(*options, session); };
}

} // namespace kerncast::app
