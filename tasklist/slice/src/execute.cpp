// One launch from arguments to classes.
#include "slice/execute.h"

#include <algorithm>

#include "check_geometry.h"
#include "cta_sampler.h"
#include "grid_classes.h"
#include "slice/program.h"
#include "warp/cluster.h"
#include "warp/decode.h"

namespace kerncast::slice {

using tasklist::Launch;

SliceProgram::SliceProgram(const ptx::Module& module, const ptx::Function& kernel,
                           const tasklist::Tasklist& list)
    : program_(std::make_shared<const warp::Program>(decode(module, kernel, list))),
      parameters_(list.parameters), source_(module.source) {}

Expected<tasklist::LaunchBehaviour> SliceProgram::execute(const Launch& launch,
                                                          const SliceOptions& options) const {
  if (auto checked = check_geometry(launch); !checked)
    return tl::unexpected(std::move(checked.error()));
  if (auto checked = warp::check_cluster(*program_, launch); !checked)
    return tl::unexpected(std::move(checked.error()));
  auto facts = resolve_facts(*program_, launch);
  if (!facts)
    return tl::unexpected(std::move(facts.error()));
  const LaunchContext context{*program_,
                              launch,
                              parameter_image(program_->memory, program_->address_bits, launch),
                              std::move(*facts),
                              options.max_visits_per_warp,
                              source_.get(),
                              options.contents};
  BehaviourBuilder builder;
  Assumptions assumptions;
  CtaSampler sampler(context, builder, assumptions);
  auto classes = find_cta_classes(context, sampler, options, assumptions);
  if (!classes)
    return tl::unexpected(std::move(classes.error()));
  tasklist::LaunchBehaviour behaviour = builder.take();
  behaviour.classes = std::move(classes->classes);
  if (classes->order.is_known())
    behaviour.order = std::make_shared<const tasklist::GridOrder>(std::move(classes->order));
  behaviour.ctas_executed = sampler.executed();
  behaviour.assumptions = assumptions.list();
  return behaviour;
}

namespace {

// Whether all that the slice does not compute is loads of values from buffers.
bool only_loads_are_unknown(const warp::Program& program) {
  return std::all_of(program.ops.begin(), program.ops.end(), [](const warp::MicroOp& op) {
    return !warp::has_unknown_result(op.rule) || op.loads_value();
  });
}

} // namespace

DataDependence data_dependence(const ptx::Module& module, const ptx::Function& kernel,
                               const tasklist::Tasklist& list, bool texels_are_known) {
  const warp::Program program = decode(module, kernel, list);
  const bool follows_texels = texels_are_known && program.has_texels;
  if (!program.depends_on_data && !follows_texels)
    return DataDependence::none;
  if (program.depends_on_buffers && !follows_texels && only_loads_are_unknown(program))
    return DataDependence::loads;
  return program.depends_on_buffers || (follows_texels && program.texels_depend_on_buffers)
             ? DataDependence::buffers
             : DataDependence::own_memory;
}

Expected<tasklist::LaunchBehaviour> execute_slice(const ptx::Module& module, const ptx::Function& kernel,
                                                  const tasklist::Tasklist& list, const Launch& launch,
                                                  const SliceOptions& options) {
  return SliceProgram(module, kernel, list).execute(launch, options);
}

} // namespace kerncast::slice
