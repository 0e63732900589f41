#include "behaviour.h"

#include <fmt/format.h>

#include "slice/execute.h"
#include "tasklist/operation.h"

namespace kerncast::app {
namespace {

using tasklist::LaunchBehaviour;

// Lanes of warp `warp` that exist.
std::uint32_t active_mask(const tasklist::Launch& launch, std::uint32_t warp) {
  const std::uint32_t threads = launch.threads_per_cta() - warp * tasklist::lanes_per_warp;
  return threads >= tasklist::lanes_per_warp ? UINT32_MAX : (1U << threads) - 1;
}

// Addresses are unknown; a shape per mask and width.
std::uint32_t unknown_shape(LaunchBehaviour& behaviour, std::uint32_t mask, std::uint16_t bytes) {
  tasklist::AddressShape shape;
  shape.known = shape.place_known = false;
  shape.mask = mask;
  shape.bytes = bytes;
  for (std::uint32_t i = 0; i < behaviour.shapes.size(); ++i)
    if (behaviour.shapes[i] == shape)
      return i;
  behaviour.shapes.push_back(shape);
  return static_cast<std::uint32_t>(behaviour.shapes.size() - 1);
}

// Every block once, with these lanes.
tasklist::WarpPath straight_path(const tasklist::Tasklist& list, std::uint32_t mask,
                                 LaunchBehaviour& behaviour) {
  tasklist::WarpPath path;
  for (std::uint32_t b = 0; b < list.blocks.size(); ++b) {
    tasklist::BlockVisit visit{b, mask, {static_cast<std::uint32_t>(behaviour.access_pool.size()), 0}};
    for (const tasklist::Task& task : list.tasks_of(list.blocks[b]))
      if (tasklist::is_memory(task.kind)) {
        behaviour.access_pool.push_back(unknown_shape(behaviour, mask, task.access_bytes));
        ++visit.accesses.count;
      }
    tasklist::PathNode node;
    node.visit = static_cast<std::uint32_t>(behaviour.visits.size());
    behaviour.visits.push_back(visit);
    path.nodes.push_back(node);
  }
  return path;
}

LaunchBehaviour straight_behaviour(const tasklist::Tasklist& list, const tasklist::Launch& launch) {
  LaunchBehaviour behaviour;
  tasklist::CtaClass all;
  all.cta_count = launch.grid.count();
  for (std::uint32_t warp = 0; warp < launch.warps_per_cta(); ++warp) {
    const bool first_of_its_kind = warp == 0 || active_mask(launch, warp) != UINT32_MAX;
    if (first_of_its_kind)
      behaviour.paths.push_back(straight_path(list, active_mask(launch, warp), behaviour));
    all.warp_paths.push_back(static_cast<std::uint32_t>(behaviour.paths.size() - 1));
  }
  behaviour.classes.push_back(std::move(all));
  if (list.blocks.size() > 1)
    behaviour.assumptions.push_back(fmt::format(
        "control flow: a tasklist has no values, each of its {} blocks executes once", list.blocks.size()));
  behaviour.assumptions.push_back("addresses: a tasklist has none, no access coalesces");
  return behaviour;
}

} // namespace

Expected<LaunchBehaviour> behaviour_of(const KernelCode& kernel, const LaunchJob& job,
                                       std::optional<std::uint32_t> sample_ctas) {
  const ptx::Function* function = kernel.function();
  if (function == nullptr)
    return straight_behaviour(kernel.list, job.launch);
  slice::SliceOptions options;
  options.max_ctas_on_contents = sample_ctas.value_or(options.max_ctas_on_contents);
  options.contents = job.contents;
  options.max_sampled_ctas = sample_ctas.value_or(options.max_sampled_ctas);
  return slice::execute_slice(*kernel.module, *function, kernel.list, job.launch, options);
}

} // namespace kerncast::app
