#include "options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "application/read.h"
#include "argument_values.h"
#include "fact_values.h"
#include "launch_sample.h"
#include "models.h"
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
  launch.spill_store_bytes =
      values.optional_number("--spill-stores", words.spill_stores, {0, application::max_spill_store_bytes});
  if (!words.cluster_ctas.empty())
    launch.cluster = values.cluster(words.cluster_ctas);
  launch.facts = parse_facts({words.branches, words.loops, words.addresses}, values);
  Expected<ArgumentList> list = parse_arguments(words.arguments);
  if (!list) {
    values.errors.insert(values.errors.end(), list.error().begin(), list.error().end());
    return launch;
  }
  launch.arguments = std::move(list->arguments);
  launch.members = std::move(list->members);
  into.buffers = std::move(list->buffers);
  into.textures = std::move(list->textures);
  launch.facts.buffer_addresses = parse_buffer_facts(words.buffer_addresses, into.buffers, values);
  return launch;
}

application::RankOptions rank_options(const PredictWords& words, OptionValues& values) {
  application::RankOptions options;
  options.ranks = values.optional_number("--ranks", words.ranks, {1, application::max_ranks});
  for (const std::string& text : words.let) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
      values.error(fmt::format("--let '{}' is not NAME=EXPRESSION", text), "for example: --let n=1048576");
    else if (!options.let.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
      values.error(fmt::format("--let {} is given twice", text.substr(0, equals)),
                   "leave one of the two out");
  }
  return options;
}

} // namespace

void add_rank_options(CLI::App& command, PredictWords& words) {
  add_repeatable(command, "--let", words.let,
                 "NAME=EXPRESSION: instead of what 'let' of the application says")
      ->type_name("NAME=EXPRESSION");
}

void add_launch_options(CLI::App& command, PredictWords& words) {
  command.add_option("--kernel", words.kernel, "kernel of a PTX file with several")->type_name("NAME");
  add_entry(command, words.entry);
  CLI::Option* grid = add_extent(command, "--grid", words.grid, "CTAs of the launch");
  CLI::Option* block = add_extent(command, "--block", words.block, "threads of a CTA");
  add_extent(command, "--cluster-ctas", words.cluster_ctas,
             "CTAs of a thread-block cluster (default: as the kernel requires)")
      ->needs(grid);
  grid->needs(block);
  block->needs(grid);
  add_repeatable(command, "--arg", words.arguments,
                 "TYPE:VALUE of the next parameter: i32:4096, f32:0.5, buf:BYTES, buf:BYTES=iota, "
                 "buf:BYTES=@FILE, tex:FORMAT:EXTENT, tensor:TYPE:EXTENTS:BOX, struct:TYPE:VALUE,TYPE:VALUE")
      ->needs(grid);
  add_number(command, "--dynamic-smem", words.dynamic_smem, "bytes of dynamic shared memory per CTA")
      ->needs(grid);
  add_number(command, "--regs", words.registers, "registers per thread, as ptxas -v reports them")
      ->needs(grid);
  add_number(command, "--spill-stores", words.spill_stores,
             "bytes of spill stores, as ptxas -v reports them (default: estimated)")
      ->needs(grid);
}

void add_fact_options(CLI::App& command, PredictWords& words) {
  CLI::Option* grid = command.get_option("--grid");
  add_repeatable(command, "--branch", words.branches,
                 "LINE=P: probability that a branch on unknown data is taken, by its PTX line or label")
      ->needs(grid);
  add_repeatable(command, "--loop", words.loops,
                 "LINE=N: iterations of a loop whose end depends on unknown data, by its PTX line or label")
      ->needs(grid);
  add_repeatable(command, "--addresses", words.addresses,
                 "LINE=scattered, coalesced, broadcast or stride:BYTES: where lanes access memory if that "
                 "depends on unknown data, by PTX line")
      ->needs(grid);
  add_repeatable(command, "--buffer-addresses", words.buffer_addresses,
                 "ARGUMENT=scattered, coalesced, broadcast or stride:BYTES: the same of all accesses to the "
                 "buffer of an argument, numbered from 1")
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
  options.timeline_of = words.timeline_of == "sm"            ? TimelineOf::sm
                        : words.timeline_of == "application" ? TimelineOf::application
                                                             : TimelineOf::unsaid;
  options.cache = words.cache;
  options.cluster = words.cluster;
  options.ranks = rank_options(words, values);
  options.whole_gpu = words.fidelity == "gpu";
  options.average_hits = words.average_hits;
  options.exact = words.exact;
  options.explain = words.explain || words.what_if;
  options.what_if = words.what_if;
  const bool simulates = words.model.empty() || words.model == simulator || words.model == every_model;
  options.interval = simulates && !words.no_interval && !options.whole_gpu;
  options.slow_divisions = words.divisions == "slow";
  options.strict = words.strict;
  options.occupancy_curve = words.occupancy_curve;
  if (!words.grid.empty() && !words.block.empty())
    options.launch = launch_of(words, values, options);
  options.launch_options = !words.grid.empty() || !words.block.empty() || !words.kernel.empty() ||
                           !words.arguments.empty() || !words.dynamic_smem.empty() ||
                           !words.registers.empty() || !words.spill_stores.empty() ||
                           !words.cluster_ctas.empty() || !words.repeat.empty();
  options.repeat = values.number("--repeat", words.repeat, {1, application::max_launches}, 1);
  options.l1_hit = values.fraction("--l1-hit", words.l1_hit);
  options.l2_hit = values.fraction("--l2-hit", words.l2_hit);
  if (!words.assume_unknown.empty())
    options.assume_unknown = words.assume_unknown;
  options.without = words.without;
  options.sample_ctas = values.optional_number("--sample-ctas", words.sample_ctas, {1, UINT32_MAX});
  options.sample_launches = values.optional_number("--sample-launches", words.sample_launches,
                                                   {least_sampled_launches, UINT32_MAX});
  if (options.sample_launches && options.explain)
    values.error("--explain and --what-if are of launches that are all simulated",
                 "leave out --sample-launches");
  options.threads = values.number("--threads", words.threads, thread_bounds, 0);
  options.error_limit = values.number("--error-limit", words.error_limit, {}, options.error_limit);
  if (!words.divisions.empty() && words.divisions != "fast" && words.divisions != "slow")
    values.error(fmt::format("--divisions '{}' is neither fast nor slow", words.divisions),
                 "slow: every division takes the path of zeros, infinities and NaN");
  if (!values.errors.empty())
    return tl::unexpected(std::move(values.errors));
  return options;
}

} // namespace kerncast::app
