#include "launches.h"

#include <algorithm>

#include <fmt/format.h>

#include "annotate_all.h"
#include "behaviour.h"
#include "parallel/run.h"

namespace kerncast::app {
namespace {

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
      job.behaviour ? *job.behaviour : behaviour_of(kernel, job, options.sample_ctas);
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

} // namespace

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
