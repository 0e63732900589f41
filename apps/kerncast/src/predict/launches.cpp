#include "launches.h"

#include <algorithm>

#include <fmt/format.h>

#include "annotate_all.h"
#include "behaviour.h"
#include "lowering_steps.h"
#include "machine/annotate.h"
#include "parallel/run.h"

namespace kerncast::app {
namespace {

// "sm_75" of a GPU of compute capability 7.5.
std::string target_of(const configs::Gpu& gpu) {
  return fmt::format("sm_{}{}", gpu.compute_capability_major, gpu.compute_capability_minor);
}

// What the kernel's own text had to assume, beside what annotation did.
void add_kernel_assumptions(const tasklist::Tasklist& list, const configs::Gpu& gpu,
                            machine::MachineProgram& program) {
  std::vector<std::string>& assumptions = program.assumptions;
  assumptions.insert(assumptions.begin(), list.assumptions.begin(), list.assumptions.end());
  // sm_90a is sm_90 with its architecture's own instructions.
  if (!list.target.empty() && list.target != target_of(gpu) && list.target != target_of(gpu) + "a")
    assumptions.push_back(
        fmt::format("PTX for {} lowered for {} of {}: its compiler may choose other instructions",
                    list.target, target_of(gpu), gpu.name));
}

// Given ones; with only one level's on the command line the other may be predicted.
std::optional<memory_model::HitRates> hit_rates_of(const LaunchJob& job, const PredictOptions& options,
                                                   bool predicted) {
  if (predicted || (!options.l1_hit && !options.l2_hit))
    return job.hit_rates;
  memory_model::HitRates rates = job.hit_rates.value_or(memory_model::HitRates{});
  rates.l1 = options.l1_hit.value_or(rates.l1);
  rates.l2 = options.l2_hit.value_or(rates.l2);
  return rates;
}

// One hit rate was given and the other is nowhere stated.
void note_missing_rate(const LaunchJob& job, const PredictOptions& options, bool predicted,
                       std::vector<std::string>& assumptions) {
  if (predicted || job.hit_rates || options.l1_hit.has_value() == options.l2_hit.has_value())
    return;
  assumptions.push_back(fmt::format("hit rate of {} not given: 0", options.l1_hit ? "L2" : "L1"));
}

Expected<void> one_launch(const PredictInput& input, std::size_t index, const std::vector<configs::Gpu>& gpus,
                          const Programs& programs, const PredictedHits& hits, const PredictOptions& options,
                          const PerLaunch& per_launch) {
  const LaunchJob& job = input.launches[index];
  const KernelCode& kernel = input.kernels[job.kernel];
  Expected<tasklist::LaunchBehaviour> behaviour =
      job.behaviour ? *job.behaviour : behaviour_of(kernel, job.launch, options.sample_ctas);
  if (!behaviour)
    return tl::unexpected(behaviour.error());
  behaviour->assumptions.insert(behaviour->assumptions.end(), job.assumptions.begin(), job.assumptions.end());
  note_missing_rate(job, options, hits.front()[index].has_value(), behaviour->assumptions);
  Diagnostics errors;
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    const std::optional<hit_rates::LaunchHits>& predicted = hits[g][index];
    const engine::KernelInput on_gpu{kernel.list,
                                     programs[g][job.kernel],
                                     *behaviour,
                                     job.launch,
                                     gpus[g],
                                     hit_rates_of(job, options, predicted.has_value()),
                                     predicted ? &*predicted : nullptr,
                                     options.average_hits,
                                     options.exact,
                                     options.explain || !options.timeline.empty()};
    if (const Expected<void> done = per_launch(on_gpu, index, g); !done)
      errors.insert(errors.end(), done.error().begin(), done.error().end());
  }
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return {};
}

// What launches state of what the compiler made of their kernel.
struct StatedCode {
  std::uint32_t registers = 0; // 0: not stated
  std::optional<std::uint32_t> spill_bytes = {};
};

// By kernel: the most that its launches state.
std::vector<StatedCode> stated_code(const PredictInput& input) {
  std::vector<StatedCode> stated(input.kernels.size());
  for (const LaunchJob& job : input.launches) {
    StatedCode& code = stated[job.kernel];
    code.registers = std::max(code.registers, job.launch.registers.value_or(0));
    code.spill_bytes = std::max(code.spill_bytes, job.launch.spill_store_bytes); // an empty one is least
  }
  return stated;
}

} // namespace

Expected<Programs> annotate_all(const PredictInput& input, const std::vector<configs::Gpu>& gpus,
                                const PredictOptions& options) {
  machine::AnnotateOptions annotate = annotate_options(options.without);
  annotate.assume_unknown = options.assume_unknown;
  Programs programs(gpus.size());
  Diagnostics errors;
  const std::vector<StatedCode> stated = stated_code(input);
  for (std::size_t g = 0; g < gpus.size(); ++g)
    for (std::size_t k = 0; k < input.kernels.size(); ++k) {
      const KernelCode& kernel = input.kernels[k];
      annotate.stated_registers = stated[k].registers;
      annotate.stated_spill_bytes = stated[k].spill_bytes;
      Expected<machine::MachineProgram> program = machine::annotate(kernel.list, gpus[g], annotate);
      if (!program) {
        errors.insert(errors.end(), program.error().begin(), program.error().end());
        continue;
      }
      add_kernel_assumptions(kernel.list, gpus[g], *program);
      programs[g].push_back(std::move(*program));
    }
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return programs;
}

Expected<void> for_each_launch(const PredictInput& input, const std::vector<configs::Gpu>& gpus,
                               const PredictOptions& options, const PerLaunch& per_launch) {
  const Expected<Programs> programs = annotate_all(input, gpus, options);
  if (!programs)
    return tl::unexpected(programs.error());
  const PredictedHits hits = predict_hits(input, gpus, *programs, options);
  std::vector<Diagnostics> failed(input.launches.size());
  parallel::for_each_index(input.launches.size(), options.threads, [&](std::size_t i) {
    if (const Expected<void> done = one_launch(input, i, gpus, *programs, hits, options, per_launch); !done)
      failed[i] = located(done.error(), input.source, input.launches[i].place);
  });
  Diagnostics errors;
  for (const Diagnostics& of_launch : failed)
    for (const Diagnostic& d : of_launch)
      if (options.error_limit == 0 || errors.size() < options.error_limit)
        errors.push_back(d);
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return {};
}

} // namespace kerncast::app
