// One launch of a PTX kernel, from text to cycles, as the program does it.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "configs/loader.h"
#include "engine/kernel.h"
#include "engine/simulate_plan.h"
#include "hit_rates/device_caches.h"
#include "hit_rates/issued_source.h"
#include "lowering/lower.h"
#include "machine/annotate.h"
#include "pdes/gpu.h"
#include "ptx_parser/parser.h"
#include "slice/execute.h"
#include "slice/grid_accesses.h"

namespace kerncast {

struct KernelLaunch {
  std::string ptx;
  tasklist::Launch launch;
  std::optional<memory_model::HitRates> hit_rates;
};

// The begin of a kernel of which every thread has the addresses of a word of its own in two buffers in %rd4
// and %rd5; %f0 to %f16 are free.
inline constexpr const char* begin_of_copy = R"(.version 7.0
.target sm_52
.address_size 64
.visible .entry copy(.param .u64 from, .param .u64 to) {
  .reg .b32 %r<8>; .reg .b64 %rd<12>; .reg .f32 %f<17>;
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [to];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.s32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
)";

// Every thread loads a word of its own and stores it; nothing hits.
inline KernelLaunch copy_by(std::uint32_t ctas, std::uint32_t threads) {
  KernelLaunch kernel{std::string(begin_of_copy) +
                          "  ld.global.f32 %f1, [%rd4];\n  st.global.f32 [%rd5], %f1;\n  ret;\n}\n",
                      {},
                      memory_model::HitRates{0, 0}};
  kernel.launch.grid.x = ctas;
  kernel.launch.block.x = threads;
  kernel.launch.registers = 32;
  for (std::uint32_t i = 0; i < 2; ++i)
    kernel.launch.arguments.push_back({tasklist::Argument::Kind::buffer, 0, i, 64U << 20});
  return kernel;
}

template <class T> T value_of(Expected<T> expected) {
  if (!expected)
    throw std::runtime_error(render(expected.error()));
  return std::move(*expected);
}

inline configs::Gpu gpu_of(std::string_view name, const std::vector<configs::Setting>& settings = {}) {
  return value_of(configs::load_gpu(name, settings, configs::ConfigPath({KERNCAST_SOURCE_DIR "/configs"})));
}

// Hit rates as the caches of the GPU find them.
inline hit_rates::LaunchHits hits_of(const ptx::Module& module, const ptx::Function& function,
                                     const tasklist::Tasklist& list, const machine::MachineProgram& program,
                                     const tasklist::Launch& launch, const configs::Gpu& gpu) {
  const slice::SliceProgram slice(module, function, list);
  const auto source =
      hit_rates::as_issued(value_of(slice::trace_grid(slice, launch)), list, program, gpu.scheduler);
  const auto occupancy = value_of(engine::occupancy_of(list, program, launch, gpu));
  return hit_rates::DeviceCaches(gpu, {}).run({*source, list, launch, occupancy.ctas_per_sm,
                                               program.spill_bytes,
                                               machine::one_lane_tasks(program, list.tasks.size())});
}

// Without hit rates they are predicted.
inline engine::KernelPlan plan_of(const KernelLaunch& kernel, const configs::Gpu& gpu) {
  const ptx::Module module = value_of(ptx::parse(SourceText("kernel.ptx", kernel.ptx)));
  const ptx::Function* function = value_of(lowering::select_kernel(module, ""));
  const tasklist::Tasklist list = value_of(lowering::lower(module, *function));
  const tasklist::LaunchBehaviour behaviour =
      value_of(slice::execute_slice(module, *function, list, kernel.launch));
  const machine::MachineProgram program = value_of(machine::annotate(list, gpu));
  std::optional<hit_rates::LaunchHits> hits;
  if (!kernel.hit_rates)
    hits = hits_of(module, *function, list, program, kernel.launch, gpu);
  return value_of(engine::plan_kernel(
      {list, program, behaviour, kernel.launch, gpu, kernel.hit_rates, hits ? &*hits : nullptr}));
}

inline engine::KernelPrediction predict(const KernelLaunch& kernel, std::string_view gpu_name,
                                        const std::vector<configs::Setting>& settings = {}) {
  const configs::Gpu gpu = gpu_of(gpu_name, settings);
  return engine::simulate_plan(plan_of(kernel, gpu), gpu);
}

// The same on all SMs and slices of L2.
inline double cycles_of_whole_gpu(const KernelLaunch& kernel, std::string_view gpu_name,
                                  const std::vector<configs::Setting>& settings = {}) {
  const configs::Gpu gpu = gpu_of(gpu_name, settings);
  std::vector<std::string> assumptions;
  return pdes::simulate_gpu(pdes::make_gpu_workload(plan_of(kernel, gpu), gpu, 0, assumptions)).cycles;
}

} // namespace kerncast
