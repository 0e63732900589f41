// One launch of a PTX kernel, from text to cycles, as the program does it.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "configs/loader.h"
#include "engine/kernel.h"
#include "engine/simulate_plan.h"
#include "lowering/lower.h"
#include "machine/annotate.h"
#include "ptx_parser/parser.h"
#include "slice/execute.h"

namespace kerncast {

struct KernelLaunch {
  std::string ptx;
  tasklist::Launch launch;
  std::optional<memory_model::HitRates> hit_rates;
};

template <class T> T value_of(Expected<T> expected) {
  if (!expected)
    throw std::runtime_error(render(expected.error()));
  return std::move(*expected);
}

inline configs::Gpu gpu_of(std::string_view name, const std::vector<configs::Setting>& settings = {}) {
  return value_of(configs::load_gpu(name, settings, configs::ConfigPath({KERNCAST_SOURCE_DIR "/configs"})));
}

inline engine::KernelPlan plan_of(const KernelLaunch& kernel, const configs::Gpu& gpu) {
  const ptx::Module module = value_of(ptx::parse(SourceText("kernel.ptx", kernel.ptx)));
  const ptx::Function* function = value_of(lowering::select_kernel(module, ""));
  const tasklist::Tasklist list = value_of(lowering::lower(module, *function));
  const tasklist::LaunchBehaviour behaviour =
      value_of(slice::execute_slice(module, *function, list, kernel.launch));
  const machine::MachineProgram program = value_of(machine::annotate(list, gpu));
  return value_of(engine::plan_kernel({list, program, behaviour, kernel.launch, gpu, kernel.hit_rates}));
}

inline engine::KernelPrediction predict(const KernelLaunch& kernel, std::string_view gpu_name,
                                        const std::vector<configs::Setting>& settings = {}) {
  const configs::Gpu gpu = gpu_of(gpu_name, settings);
  return engine::simulate_plan(plan_of(kernel, gpu), gpu);
}

} // namespace kerncast
