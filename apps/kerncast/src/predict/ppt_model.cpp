// --model ppt-gpu-2019 for kernels of ours: our tasklist, launch and GPU in the published tool's terms.
#include "configs/occupancy.h"
#include "models.h"
#include "ppt_gpu_2019/from_tasklist.h"
#include "ppt_gpu_2019/model.h"
#include "ppt_rows.h"

namespace kerncast::app {
namespace {

Expected<engine::KernelPrediction> predict_with_ppt(const engine::KernelInput& input) {
  const std::uint32_t registers = input.launch.registers.value_or(
      configs::fitting_registers({.threads_per_cta = input.launch.threads_per_cta(),
                                  .registers_per_thread = input.program.registers_estimated},
                                 input.gpu));
  const double l2_hit = input.hit_rates ? input.hit_rates->l2 : 0;
  Expected<ppt_gpu_2019::Conversion> converted =
      ppt_gpu_2019::from_tasklist({input.list, input.behaviour, input.gpu, input.launch, registers, l2_hit});
  if (!converted)
    return tl::unexpected(converted.error());
  const Expected<ppt_gpu_2019::Result> result = ppt_gpu_2019::predict(converted->input);
  if (!result)
    return tl::unexpected(result.error());
  engine::KernelPrediction p = to_prediction(converted->input, *result);
  p.kernel = input.list.kernel;
  p.launch_overhead_us = input.gpu.launch_overhead_us;
  p.hit_source = input.hit_rates ? "oracle" : "assumed";
  const auto assume = [&](const std::vector<std::string>& texts) {
    p.assumptions.insert(p.assumptions.end(), texts.begin(), texts.end());
  };
  assume(input.gpu.assumptions);
  assume(input.program.assumptions);
  assume(input.behaviour.assumptions);
  assume(converted->assumptions);
  if (!input.launch.registers)
    assume({"registers: estimated from liveness (no count given)"});
  if (!input.hit_rates)
    assume({"hit rates: none given, every global access is taken to reach DRAM"});
  return p;
}

} // namespace

Expected<Predictions> predict_ppt_gpu_2019(const ModelInput& model) {
  return predict_each_launch(model, predict_with_ppt);
}

} // namespace kerncast::app
