#include "options.h"

#include "application/read.h"
#include "argument_values.h"
#include "option_values.h"

namespace kerncast::app {
namespace {

tasklist::Launch launch_of(const PredictWords& words, OptionValues& values, PredictOptions& into) {
  tasklist::Launch launch;
  launch.grid = values.grid(words.grid);
  launch.block = values.block(words.block);
  launch.dynamic_shared_bytes = static_cast<std::uint32_t>(
      values.number("--dynamic-smem", words.dynamic_smem, {0, application::max_dynamic_shared_bytes}, 0));
  launch.registers = values.optional_number("--regs", words.registers, {1, application::max_registers});
  Expected<ArgumentList> list = parse_arguments(words.arguments);
  if (!list) {
    values.errors.insert(values.errors.end(), list.error().begin(), list.error().end());
    return launch;
  }
  launch.arguments = std::move(list->arguments);
  into.buffers = std::move(list->buffers);
  into.textures = std::move(list->textures);
  return launch;
}

} // namespace

void add_launch_options(CLI::App& command, PredictWords& words) {
  command.add_option("--kernel", words.kernel, "kernel of a PTX file with several")->type_name("NAME");
  add_entry(command, words.entry);
  CLI::Option* grid = add_extent(command, "--grid", words.grid, "CTAs of the launch");
  CLI::Option* block = add_extent(command, "--block", words.block, "threads of a CTA");
  grid->needs(block);
  block->needs(grid);
  add_repeatable(command, "--arg", words.arguments,
                 "TYPE:VALUE of the next parameter: i32:4096, f32:0.5, buf:BYTES, buf:BYTES=iota, "
                 "buf:BYTES=@FILE, tex:FORMAT:EXTENT")
      ->needs(grid);
  add_number(command, "--dynamic-smem", words.dynamic_smem, "bytes of dynamic shared memory per CTA")
      ->needs(grid);
  add_number(command, "--regs", words.registers, "registers per thread, as ptxas -v reports them")
      ->needs(grid);
}

Expected<PredictOptions> check_options(const PredictWords& words) {
  OptionValues values;
  PredictOptions options;
  options.input = words.input;
  options.model = words.model;
  options.kernel = words.kernel;
  options.entry = words.entry;
  options.json = words.json;
  options.timeline = words.timeline;
  options.cache = words.cache;
  options.average_hits = words.average_hits;
  options.exact = words.exact;
  options.explain = words.explain || words.what_if;
  options.what_if = words.what_if;
  options.strict = words.strict;
  options.occupancy_curve = words.occupancy_curve;
  if (!words.grid.empty() && !words.block.empty())
    options.launch = launch_of(words, values, options);
  options.launch_options = !words.grid.empty() || !words.block.empty() || !words.kernel.empty() ||
                           !words.arguments.empty() || !words.dynamic_smem.empty() ||
                           !words.registers.empty();
  options.l1_hit = values.fraction("--l1-hit", words.l1_hit);
  options.l2_hit = values.fraction("--l2-hit", words.l2_hit);
  if (!words.assume_unknown.empty())
    options.assume_unknown = words.assume_unknown;
  options.without = words.without;
  options.sample_ctas = values.optional_number("--sample-ctas", words.sample_ctas, {1, UINT32_MAX});
  options.threads = values.number("--threads", words.threads, thread_bounds, 0);
  options.error_limit = values.number("--error-limit", words.error_limit, {}, options.error_limit);
  if (!values.errors.empty())
    return tl::unexpected(std::move(values.errors));
  return options;
}

} // namespace kerncast::app
