#include "ppt_gpu_2019/from_tasklist.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "item_kind.h"
#include "machine/annotate.h"
#include "straight_line.h"

namespace kerncast::ppt_gpu_2019 {
namespace {

using tasklist::Task;
using tasklist::TaskId;
using tasklist::Tasklist;

// What a task becomes, worked out once however often the task is executed.
struct Template {
  std::optional<ItemKind> kind; // empty: no item; dependents wait for what the task itself waits for
  double latency = 0;
};

Expected<std::vector<Template>> make_templates(const Tasklist& list, const configs::Gpu& gpu) {
  std::vector<Template> templates;
  std::set<std::string> unknown;
  for (const Task& task : list.tasks) {
    Template made{.kind = item_kind(list, task)};
    if (made.kind && has_latency(*made.kind)) {
      const std::optional<double> latency = machine::summed_latency(list, task, gpu);
      if (!latency)
        unknown.insert(list.operations[task.operation]);
      made.latency = latency.value_or(0);
      // The compiler removes what costs nothing.
      if (made.latency <= 0)
        made.kind.reset();
    }
    templates.push_back(made);
  }
  if (!unknown.empty())
    return fail(fmt::format("{} has no latency for {}", gpu.name, fmt::join(unknown, ", ")),
                "add rows for them to the ISA table of the GPU");
  return templates;
}

// Writes items and follows values: who wrote each value last on this way.
class Writer {
public:
  Writer(const Tasklist& list, Input& input)
      : list_(list), input_(input), writers_(list.value_classes.size()) {}

  void write(const Task& task, const Template& made) {
    std::vector<std::uint32_t> needs;
    for (const tasklist::ValueId value : list_.uses(task))
      needs.insert(needs.end(), writers_[value].begin(), writers_[value].end());
    std::ranges::sort(needs);
    needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
    if (made.kind)
      needs = {append(*made.kind, made.latency, needs)};
    else if (needs.size() > most_writers)
      needs = {append(ItemKind::ialu, 0, needs)};
    for (const tasklist::ValueId value : list_.definitions(task))
      writers_[value] = needs;
  }

private:
  // A removed task passes on what it waits for; a chain of them through a loop must not grow for ever.
  static constexpr std::size_t most_writers = 64;

  std::uint32_t append(ItemKind kind, double latency, std::vector<std::uint32_t>& needs) {
    // The tool's barrier waits for everything before it and lists no dependencies.
    if (kind == ItemKind::thread_sync)
      needs.clear();
    input_.items.push_back({.kind = kind,
                            .latency = latency,
                            .first_dependency = static_cast<std::uint32_t>(input_.dependencies.size()),
                            .dependency_count = static_cast<std::uint32_t>(needs.size())});
    input_.dependencies.insert(input_.dependencies.end(), needs.begin(), needs.end());
    return static_cast<std::uint32_t>(input_.items.size() - 1);
  }

  const Tasklist& list_;
  Input& input_;
  std::vector<std::vector<std::uint32_t>> writers_; // by value: items
};

std::vector<std::string> assumptions_of(const KernelLaunch& kernel) {
  std::vector<std::string> list = {
      "ppt-gpu-2019: no L1, no bandwidth, no bank conflicts and no CTA launch latency; a unit is busy for "
      "one "
      "cycle per instruction",
      "ppt-gpu-2019: registers and shared memory are divided without allocation granularity; CTAs run in "
      "whole waves"};
  if (warps_differ(kernel.behaviour))
    list.push_back("ppt-gpu-2019: all warps take the way of the most common kind of warp");
  std::set<std::string> replaced;
  for (const Task& task : kernel.list.tasks)
    if (!is_expressible(task))
      replaced.insert(kernel.list.operations[task.operation]);
  if (!replaced.empty())
    list.push_back(
        fmt::format("ppt-gpu-2019: no class for {}; generic accesses count as global, the others as "
                    "integer arithmetic",
                    fmt::join(replaced, ", ")));
  return list;
}

Expected<Launch> convert_launch(const KernelLaunch& kernel, const Hardware& hardware) {
  const std::uint64_t threads = kernel.launch.block.count();
  const std::uint64_t blocks = kernel.launch.grid.count();
  if (threads == 0 || threads > hardware.max_threads_per_block)
    return fail(fmt::format("{} threads per CTA, but {} allows 1 to {}", threads, kernel.gpu.name,
                            hardware.max_threads_per_block),
                "change --block");
  if (blocks == 0 || blocks > max_grid_blocks)
    return fail(fmt::format("a grid of {} CTAs, outside 1 to {}", blocks, max_grid_blocks), "change --grid");
  const std::uint64_t shared =
      std::uint64_t{kernel.list.static_shared_bytes} + kernel.launch.dynamic_shared_bytes;
  if (shared > hardware.shared_bytes_per_sm)
    return fail(fmt::format("{} bytes of shared memory per CTA, but an SM of {} has {}", shared,
                            kernel.gpu.name, hardware.shared_bytes_per_sm),
                "change --dynamic-smem");
  if (!(kernel.l2_hit >= 0 && kernel.l2_hit <= 1))
    return fail(fmt::format("an L2 hit rate of {}, outside 0 to 1", kernel.l2_hit), "change --l2-hit");
  return Launch{.grid_blocks = blocks,
                .threads_per_block = static_cast<std::uint32_t>(threads),
                .registers_per_thread = kernel.registers_per_thread,
                .shared_bytes_per_block = static_cast<std::uint32_t>(shared),
                .l2_hit = kernel.l2_hit};
}

} // namespace

Expected<Conversion> from_tasklist(const KernelLaunch& kernel) {
  Conversion result;
  result.assumptions = assumptions_of(kernel);
  const Expected<Hardware> hardware = to_hardware(kernel.gpu);
  if (!hardware)
    return tl::unexpected(hardware.error());
  const Expected<Launch> launch = convert_launch(kernel, *hardware);
  if (!launch)
    return tl::unexpected(launch.error());
  const Expected<std::vector<Template>> templates = make_templates(kernel.list, kernel.gpu);
  if (!templates)
    return tl::unexpected(templates.error());
  const auto blocks = straight_line(kernel.list, kernel.behaviour);
  if (!blocks)
    return tl::unexpected(blocks.error());

  result.input.name = kernel.list.kernel;
  result.input.hardware = *hardware;
  result.input.launch = *launch;
  result.input.launch_overhead_s = kernel.gpu.launch_overhead_us * 1e-6;
  Writer writer(kernel.list, result.input);
  for (const tasklist::BlockId id : *blocks) {
    const tasklist::Block& block = kernel.list.blocks[id];
    for (TaskId t = block.first_task; t < block.first_task + block.task_count; ++t)
      writer.write(kernel.list.tasks[t], (*templates)[t]);
  }
  if (result.input.items.empty())
    return fail(fmt::format("kernel '{}' has nothing to execute", kernel.list.kernel),
                "every operation of it is removed by the compiler");
  return result;
}

} // namespace kerncast::ppt_gpu_2019
