#include "annotate_all.h"

#include <algorithm>

#include <fmt/format.h>

#include "lowering_steps.h"
#include "machine/annotate.h"

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
  // sm_100a is sm_100 with its architecture's own instructions, sm_100f with those of its family.
  const std::string target = target_of(gpu);
  if (!list.target.empty() && list.target != target && list.target != target + "a" &&
      list.target != target + "f")
    assumptions.push_back(
        fmt::format("PTX for {} lowered for {} of {}: its compiler may choose other instructions",
                    list.target, target, gpu.name));
}

std::string slow_divisions_note(const tasklist::Tasklist& list, const configs::Gpu& gpu) {
  if (machine::has_slow_paths(list, gpu))
    return "--divisions slow: div.rn.f32 takes as many operations as 0/0 did on an RTX 2080 Ti, a guess for "
           "other GPUs and operands; other divisions stay fast";
  return fmt::format(
      "--divisions slow: changes nothing, no operation of the kernel has a slow path in {}.toml",
      gpu.architecture);
}

// By kernel: with the most that its launches state of what the compiler made of it.
std::vector<machine::AnnotateOptions> options_by_kernel(const PredictInput& input,
                                                        const PredictOptions& options) {
  machine::AnnotateOptions annotate = annotate_options(options.without);
  annotate.assume_unknown = options.assume_unknown;
  annotate.slow_divisions = options.slow_divisions;
  std::vector<machine::AnnotateOptions> by_kernel(input.kernels.size(), annotate);
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
  Programs programs(gpus.size());
  Diagnostics errors;
  const std::vector<machine::AnnotateOptions> by_kernel = options_by_kernel(input, options);
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
  const std::vector<machine::AnnotateOptions> by_kernel = options_by_kernel(input, options);
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
        spilling.stated_spill_bytes = most_times_spilled * bytes;
        add("spilled registers", spilling);
      }
    }
  return others;
}

} // namespace kerncast::app
