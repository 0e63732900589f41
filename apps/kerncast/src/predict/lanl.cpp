#include "lanl.h"

#include <fmt/format.h>

#include "input.h"
#include "ppt_gpu_2019/from_tasklist.h"
#include "ppt_gpu_2019/reader.h"
#include "ppt_rows.h"

namespace kerncast::app {
namespace {

constexpr std::string_view model_name = "ppt-gpu-2019";

Expected<void> check_lanl_options(const SourceText& source, const PredictOptions& options) {
  if (!options.model.empty() && options.model != model_name)
    return fail(
        fmt::format("{} is input of the tool of 2019, not of --model {}", source.name(), options.model),
        "leave out --model");
  if (options.occupancy_curve)
    return fail(fmt::format("{} is input of the tool of 2019, which has no occupancy curve", source.name()),
                "leave out --occupancy-curve");
  if (options.launch_options || options.l1_hit)
    return fail(fmt::format("{} states its launch", source.name()),
                "leave out --kernel, --grid, --block, --arg, --dynamic-smem, --regs and --l1-hit");
  if (options.explain || !options.timeline.empty())
    return fail(fmt::format("{} is input of the tool of 2019, which explains nothing", source.name()),
                "leave out --explain, --what-if and --timeline");
  return {};
}

// The settings of the file that scripts know by the names of our GPU keys.
std::vector<std::pair<std::string, std::string>> resolved(const ppt_gpu_2019::Hardware& hardware) {
  constexpr double hz_per_mhz = 1e6;
  return {{"sms", fmt::format("{}", hardware.sms)},
          {"clock_mhz", fmt::format("{}", hardware.clock_hz / hz_per_mhz)},
          {"sub_cores_per_sm", fmt::format("{}", hardware.warp_schedulers)},
          {"l2.latency", fmt::format("{}", hardware.l2_latency)},
          {"dram.latency", fmt::format("{}", hardware.l2_latency + hardware.l2_to_global_latency)}};
}

Expected<Prediction> predict_one(const ppt_gpu_2019::Input& input) {
  const Expected<ppt_gpu_2019::Result> result = ppt_gpu_2019::predict(input);
  if (!result)
    return tl::unexpected(result.error());
  Prediction prediction;
  prediction.gpu = input.hardware.gpu_name;
  prediction.gpu_resolved = resolved(input.hardware);
  prediction.model = model_name;
  prediction.app = input.name;
  KernelRow row;
  row.mean = to_prediction(input, *result);
  row.launches = 1;
  row.warp_instructions = static_cast<double>(row.mean.warp_instructions);
  row.simulated_warp_instructions = static_cast<double>(row.mean.simulated_warp_instructions);
  row.published = *result;
  prediction.gpu_busy_us = row.mean.time_us;
  prediction.total_time_us = row.mean.launch_overhead_us + row.mean.time_us;
  prediction.kernels.push_back(std::move(row));
  return prediction;
}

Expected<Prediction> predict_on(ppt_gpu_2019::Input input, const configs::Gpu& gpu) {
  constexpr double s_per_us = 1e-6;
  const Expected<ppt_gpu_2019::Hardware> hardware = ppt_gpu_2019::to_hardware(gpu);
  if (!hardware)
    return tl::unexpected(hardware.error());
  input.hardware = *hardware;
  input.launch_overhead_s = gpu.launch_overhead_us * s_per_us;
  return predict_one(input).map([&](Prediction&& prediction) {
    prediction.gpu = gpu.name;
    prediction.product = gpu.product;
    prediction.gpu_resolved = configs::resolved_values(gpu);
    std::vector<std::string>& assumptions = prediction.kernels.front().mean.assumptions;
    assumptions.insert(assumptions.begin(), gpu.assumptions.begin(), gpu.assumptions.end());
    assumptions.push_back("latencies of computing items are those of the file, not of the GPU");
    return std::move(prediction);
  });
}

} // namespace

Expected<PredictResult> predict_lanl(const SourceText& source, const PredictOptions& options,
                                     const std::vector<configs::Gpu>& gpus) {
  if (const Expected<void> fits = check_lanl_options(source, options); !fits)
    return tl::unexpected(fits.error());
  Expected<ppt_gpu_2019::LanlFile> file = ppt_gpu_2019::read_lanl_file(source);
  if (!file)
    return tl::unexpected(file.error());
  file->input.launch.l2_hit = options.l2_hit.value_or(file->input.launch.l2_hit);
  PredictResult all;
  Diagnostics errors;
  const auto add = [&](Expected<Prediction> prediction) {
    if (prediction)
      all.predictions.push_back(std::move(*prediction));
    else
      errors.insert(errors.end(), prediction.error().begin(), prediction.error().end());
  };
  if (gpus.empty())
    add(predict_one(file->input));
  for (const configs::Gpu& gpu : gpus)
    add(predict_on(file->input, gpu));
  if (!errors.empty())
    return tl::unexpected(located(errors, source, {1, 1}));
  return all;
}

} // namespace kerncast::app
