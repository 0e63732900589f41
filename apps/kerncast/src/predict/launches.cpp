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

// ptxas may store several times the bytes to local memory that the estimate finds (docs/accuracy.md: 2,016
// instead of 456 in row 1084 of the convolution).
constexpr std::uint32_t most_times_spilled = 4;

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

std::string slow_divisions_note(const tasklist::Tasklist& list, const configs::Gpu& gpu) {
  if (machine::has_slow_paths(list, gpu))
    return "--divisions slow: div.rn.f32 takes as many operations as 0/0 did on an RTX 2080 Ti, a guess for "
           "other GPUs and operands; other divisions stay fast";
  return fmt::format(
      "--divisions slow: changes nothing, no operation of the kernel has a slow path in {}.toml",
      gpu.architecture);
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

// Of all kernels and launches, on all GPUs.
struct Prepared {
  Programs programs;
  OtherPrograms others; // empty: not asked for
  PredictedHits hits;
};

std::span<const engine::OtherProgram> of_gpu_and_kernel(const OtherPrograms& others, std::size_t gpu,
                                                        std::uint32_t kernel) {
  if (others.empty())
    return {};
  return others[gpu][kernel];
}

Expected<void> one_launch(const PredictInput& input, std::size_t index, const std::vector<configs::Gpu>& gpus,
                          const Prepared& prepared, const PredictOptions& options,
                          const PerLaunch& per_launch) {
  const auto& [programs, others, hits] = prepared;
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
                                     options.explain || !options.timeline.empty(),
                                     of_gpu_and_kernel(others, g, job.kernel)};
    if (const Expected<void> done = per_launch(on_gpu, index, g); !done)
      errors.insert(errors.end(), done.error().begin(), done.error().end());
  }
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return {};
}

machine::AnnotateOptions base_options(const PredictOptions& options) {
  machine::AnnotateOptions annotate = annotate_options(options.without);
  annotate.assume_unknown = options.assume_unknown;
  return annotate;
}

// By kernel: with the most that its launches state of what the compiler made of it.
std::vector<machine::AnnotateOptions> with_stated_code(const machine::AnnotateOptions& options,
                                                       const PredictInput& input) {
  std::vector<machine::AnnotateOptions> by_kernel(input.kernels.size(), options);
  for (const LaunchJob& job : input.launches) {
    machine::AnnotateOptions& of = by_kernel[job.kernel];
    of.stated_registers = std::max(of.stated_registers, job.launch.registers.value_or(0));
    of.stated_spill_bytes = std::max(of.stated_spill_bytes, job.launch.spill_store_bytes); // empty is least
  }
  return by_kernel;
}

} // namespace

Expected<Programs> annotate_all(const PredictInput& input, const std::vector<configs::Gpu>& gpus,
                                const PredictOptions& options) {
  machine::AnnotateOptions annotate = base_options(options);
  annotate.slow_divisions = options.slow_divisions;
  Programs programs(gpus.size());
  Diagnostics errors;
  const std::vector<machine::AnnotateOptions> by_kernel = with_stated_code(annotate, input);
  for (std::size_t g = 0; g < gpus.size(); ++g)
    for (std::size_t k = 0; k < input.kernels.size(); ++k) {
      const KernelCode& kernel = input.kernels[k];
      Expected<machine::MachineProgram> program = machine::annotate(kernel.list, gpus[g], by_kernel[k]);
      if (!program) {
        errors.insert(errors.end(), program.error().begin(), program.error().end());
        continue;
      }
      add_kernel_assumptions(kernel.list, gpus[g], *program);
      if (options.slow_divisions)
        program->assumptions.push_back(slow_divisions_note(kernel.list, gpus[g]));
      programs[g].push_back(std::move(*program));
    }
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return programs;
}

OtherPrograms annotate_others(const PredictInput& input, const std::vector<configs::Gpu>& gpus,
                              const PredictOptions& options, const Programs& programs) {
  const std::vector<machine::AnnotateOptions> by_kernel = with_stated_code(base_options(options), input);
  OtherPrograms others(gpus.size(), std::vector<std::vector<engine::OtherProgram>>(input.kernels.size()));
  for (std::size_t g = 0; g < gpus.size(); ++g)
    for (std::size_t k = 0; k < input.kernels.size(); ++k) {
      const tasklist::Tasklist& list = input.kernels[k].list;
      const auto add = [&](const char* source, const machine::AnnotateOptions& annotate) {
        if (auto program = machine::annotate(list, gpus[g], annotate))
          others[g][k].push_back({source, std::move(*program)});
      };
      machine::AnnotateOptions slow = by_kernel[k];
      slow.slow_divisions = true;
      if (!options.slow_divisions && machine::has_slow_paths(list, gpus[g]))
        add("slow paths of divisions", slow);
      machine::AnnotateOptions spilling = by_kernel[k];
      if (const std::uint32_t bytes = programs[g][k].spill_bytes; bytes > 0 && !spilling.stated_spill_bytes) {
        spilling.slow_divisions = options.slow_divisions;
        spilling.stated_spill_bytes = most_times_spilled * bytes;
        add("spilled registers", spilling);
      }
    }
  return others;
}

Expected<void> for_each_launch(const PredictInput& input, const std::vector<configs::Gpu>& gpus,
                               const PredictOptions& options, const PerLaunch& per_launch) {
  Expected<Programs> programs = annotate_all(input, gpus, options);
  if (!programs)
    return tl::unexpected(programs.error());
  Prepared prepared{std::move(*programs), {}, {}};
  prepared.hits = predict_hits(input, gpus, prepared.programs, options);
  if (options.interval)
    prepared.others = annotate_others(input, gpus, options, prepared.programs);
  std::vector<Diagnostics> failed(input.launches.size());
  parallel::for_each_index(input.launches.size(), options.threads, [&](std::size_t i) {
    if (const Expected<void> done = one_launch(input, i, gpus, prepared, options, per_launch); !done)
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
