#include "laboratory.h"

#include <cassert>

#include "engine/simulate_plan.h"
#include "predict/contents.h"
#include "predict/launches.h"
#include "ptx_sources.h"

namespace kerncast::app {

tasklist::Argument argument(std::uint32_t value) {
  return {.kind = tasklist::Argument::Kind::u32, .bits = value};
}

tasklist::Argument buffer_argument(std::uint32_t number, std::uint64_t bytes) {
  return {.kind = tasklist::Argument::Kind::buffer, .buffer = number, .buffer_bytes = bytes};
}

tasklist::Argument texture_argument(std::uint32_t number) {
  return {.kind = tasklist::Argument::Kind::u64, .bits = tasklist::image_handle(number)};
}

Expected<Laboratory> Laboratory::open(const configs::Gpu& gpu) {
  Laboratory laboratory(gpu);
  for (const PtxSource& source : microbenchmark_sources()) {
    Expected<KernelModule> module =
        read_kernels(SourceText(std::string(source.name), std::string(source.text)), {});
    if (!module)
      return tl::unexpected(module.error());
    for (KernelCode& kernel : module->kernels) {
      std::string name(kernel.name);
      laboratory.kernels_.emplace(std::move(name), std::move(kernel));
    }
  }
  return laboratory;
}

Expected<engine::KernelPrediction> Laboratory::run(const std::vector<Experiment>& launches,
                                                   const std::vector<std::uint64_t>& buffers,
                                                   const std::vector<tasklist::Image>& textures) const {
  PredictInput input;
  input.name = "microbench";
  for (std::uint32_t i = 0; i < launches.size(); ++i) {
    const auto kernel = kernels_.find(launches[i].kernel);
    assert(kernel != kernels_.end() && "the sources have the kernels that are launched");
    input.kernels.push_back(kernel->second);
    LaunchJob job;
    job.kernel = i;
    job.launch = launches[i].launch;
    input.launches.push_back(std::move(job));
    input.events.emplace_back(timeline::KernelEvent{i, 0, 1});
  }
  for (const std::uint64_t bytes : buffers) {
    application::Buffer buffer;
    buffer.name = std::to_string(input.buffers.size());
    buffer.bytes = bytes;
    buffer.contents.kind = application::InitKind::zeros;
    input.buffers.push_back(std::move(buffer));
  }
  input.textures = textures;
  PredictOptions options;
  options.exact = true;
  use_contents(input, options);
  engine::KernelPrediction last;
  const auto predict = [&](const engine::KernelInput& of, std::size_t launch, std::size_t) -> Expected<void> {
    if (launch + 1 != launches.size())
      return {};
    const Expected<engine::KernelPlan> plan = engine::plan_kernel(of);
    if (!plan)
      return tl::unexpected(plan.error());
    last = engine::simulate_plan(*plan, *gpu_);
    return {};
  };
  if (const Expected<void> done = for_each_launch(input, {*gpu_}, options, predict); !done)
    return tl::unexpected(done.error());
  return last;
}

} // namespace kerncast::app
