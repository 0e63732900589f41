// One launch from arguments to classes.
#include "slice/execute.h"

#include <fmt/format.h>

#include "cta_sampler.h"
#include "grid_classes.h"
#include "slice/program.h"
#include "warp/decode.h"

namespace kerncast::slice {
namespace {

using tasklist::Launch;

// Sizes that no GPU launches (CUDA C++ Programming Guide, technical specifications).
constexpr std::uint64_t max_threads_per_cta = 1024;

Expected<void> check_geometry(const Launch& launch) {
  const auto& [gx, gy, gz] = launch.grid;
  if (gx == 0 || gy == 0 || gz == 0 || launch.block.count() == 0)
    return fail(fmt::format("a launch of {}x{}x{} CTAs of {}x{}x{} threads is empty", gx, gy, gz,
                            launch.block.x, launch.block.y, launch.block.z),
                "every dimension of grid and block is at least 1");
  const bool large = launch.block.x > max_threads_per_cta || launch.block.y > max_threads_per_cta ||
                     launch.block.z > max_threads_per_cta || launch.block.count() > max_threads_per_cta;
  if (large)
    return fail(
        fmt::format("a CTA of {}x{}x{} threads is too large", launch.block.x, launch.block.y, launch.block.z),
        fmt::format("a CTA has at most {} threads", max_threads_per_cta));
  // 2^31 - 1 by 65535 by 65535 CTAs; the product of all three must still fit in 64 bits.
  if (gx > 0x7fffffffU || gy > 0xffffU || gz > 0xffffU)
    return fail(fmt::format("a grid of {}x{}x{} CTAs is too large", gx, gy, gz),
                "a grid has at most 2147483647 x 65535 x 65535 CTAs");
  return {};
}

} // namespace

SliceProgram::SliceProgram(const ptx::Module& module, const ptx::Function& kernel,
                           const tasklist::Tasklist& list)
    : program_(std::make_shared<const warp::Program>(decode(module, kernel, list))),
      parameters_(list.parameters) {}

Expected<tasklist::LaunchBehaviour> SliceProgram::execute(const Launch& launch,
                                                          const SliceOptions& options) const {
  if (auto checked = check_geometry(launch); !checked)
    return tl::unexpected(std::move(checked.error()));
  auto facts = resolve_facts(*program_, launch.facts);
  if (!facts)
    return tl::unexpected(std::move(facts.error()));
  const LaunchContext context{*program_, launch,
                              parameter_image(program_->memory, program_->address_bits, launch),
                              std::move(*facts), options.max_visits_per_warp};
  BehaviourBuilder builder;
  Assumptions assumptions;
  CtaSampler sampler(context, builder, assumptions);
  auto classes = find_cta_classes(context, sampler, options, assumptions);
  if (!classes)
    return tl::unexpected(std::move(classes.error()));
  tasklist::LaunchBehaviour behaviour = builder.take();
  behaviour.classes = std::move(*classes);
  behaviour.ctas_executed = sampler.executed();
  behaviour.assumptions = assumptions.list();
  return behaviour;
}

bool depends_on_data(const ptx::Module& module, const ptx::Function& kernel, const tasklist::Tasklist& list) {
  return decode(module, kernel, list).depends_on_data;
}

Expected<tasklist::LaunchBehaviour> execute_slice(const ptx::Module& module, const ptx::Function& kernel,
                                                  const tasklist::Tasklist& list, const Launch& launch,
                                                  const SliceOptions& options) {
  return SliceProgram(module, kernel, list).execute(launch, options);
}

} // namespace kerncast::slice
