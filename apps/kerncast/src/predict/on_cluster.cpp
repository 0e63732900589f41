#include "on_cluster.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <type_traits>

#include <fmt/format.h>

#include "cluster/ranks.h"
#include "mistakes_of_ranks.h"

namespace kerncast::app {
namespace {

// Recorded of all ranks together: some 25 MB of JSON.
constexpr std::size_t all_spans = 200'000;
constexpr std::size_t least_spans = 40; // of a rank

// A GPU file beside the cluster's own is meant rather than one of the folder the program runs in.
std::string gpu_of(const configs::Cluster& cluster, const std::string& cluster_file) {
  const std::filesystem::path beside = std::filesystem::path(cluster_file).parent_path() / cluster.gpu;
  std::error_code error;
  const bool is_file = cluster.gpu.ends_with(".toml") && cluster_file.ends_with(".toml");
  return is_file && std::filesystem::exists(beside, error) ? beside.string() : cluster.gpu;
}

// Rank 0's on all ranks of the job.
template <class T> std::vector<T> shared(std::vector<T> values, const cluster::Cluster& job) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (job.ranks() == 1)
    return values;
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) // memcpy takes no null pointers, even for nothing
    std::memcpy(bytes.data(), values.data(), bytes.size());
  bytes = job.broadcast(std::move(bytes));
  values.resize(bytes.size() / sizeof(T));
  if (!values.empty())
    std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

template <class F> bool any_event(const PredictInput& input, F&& f) {
  const auto& steps = input.program.steps;
  return std::any_of(steps.begin(), steps.end(), [&](const timeline::RankStep& step) {
    return std::any_of(step.variants.begin(), step.variants.end(), f);
  });
}

bool has_kernels_in_several_streams(const PredictInput& input) {
  std::set<std::uint32_t> streams;
  for (const timeline::RankStep& step : input.program.steps)
    for (const timeline::Event& event : step.variants)
      if (const auto* kernel = std::get_if<timeline::KernelEvent>(&event))
        streams.insert(kernel->stream);
  return streams.size() > 1;
}

timeline::AssumedEvents assumed_events(const PredictInput& input) {
  timeline::AssumedEvents assumed;
  for (const timeline::RankStep& step : input.program.steps)
    for (const timeline::Event& event : step.variants)
      assumed.add(event);
  return assumed;
}

template <class F> auto of_communication(F&& f) {
  return [f](const timeline::Event& event) {
    const auto* communication = std::get_if<timeline::CommunicationEvent>(&event);
    return communication != nullptr && f(*communication);
  };
}

} // namespace

Expected<std::optional<configs::Cluster>> load_cluster(const PredictOptions& options, GpuOptions& gpus,
                                                       const configs::ConfigPath& configs) {
  if (options.cluster.empty())
    return std::nullopt;
  if (options.whole_gpu || options.occupancy_curve || options.model == "all")
    return fail("--cluster takes one prediction of each kernel",
                "leave out --fidelity gpu, --occupancy-curve and --model all");
  return configs::load_cluster(options.cluster, configs).map([&](configs::Cluster&& cluster) {
    if (gpus.gpus.empty())
      gpus.gpus.push_back(gpu_of(cluster, options.cluster));
    return std::optional(std::move(cluster));
  });
}

Expected<std::optional<ClusterPrediction>>
predict_ranks(const PredictInput& input, const PredictOptions& options, const configs::Cluster& cluster,
              const configs::Gpu& gpu, KernelTimes kernels, const Session& session) {
  const std::uint32_t ranks = input.program.ranks;
  if (ranks > cluster.gpus())
    return fail(fmt::format("{} ranks, but cluster {} has {} nodes of {} GPUs", ranks, cluster.name,
                            cluster.nodes, cluster.gpus_per_node),
                "take fewer with --ranks, or a larger cluster");
  Expected<configs::Cluster> with_links = configs::with_links_of(cluster, gpu);
  if (!with_links)
    return tl::unexpected(with_links.error());
  kernels.times_us = shared(std::move(kernels.times_us), session.cluster);
  kernels.shares = shared(std::move(kernels.shares), session.cluster);
  kernels.parts = shared(std::move(kernels.parts), session.cluster);
  if (!assumed_events(input).has_programmatic_launches() || !timeline::launches_dependents(gpu))
    kernels.parts.clear();
  const std::size_t spans = options.timeline.empty() ? 0 : std::max(least_spans, all_spans / ranks);
  ClusterPrediction prediction;
  prediction.result = cluster::simulate_ranks(
      session.cluster,
      {input.program, kernels.times_us, gpu, *with_links, spans, kernels.shares, kernels.parts},
      options.threads);
  if (!session.cluster.is_root())
    return std::nullopt;
  if (!prediction.result.problems.empty())
    return tl::unexpected(mistakes_of_ranks(input, prediction.result.problems, options.error_limit));
  prediction.path = ranks::critical_path(prediction.result);
  prediction.cluster = std::move(*with_links);
  for (const LaunchJob& job : input.launches)
    prediction.launch_names.push_back(input.kernels[job.kernel].list.kernel);
  if (!options.timeline.empty())
    for (std::size_t position = 0; position < input.program.order.size(); ++position)
      prediction.lines.push_back(input.program.step(position).place.line);
  return prediction;
}

std::vector<std::string> cluster_assumptions(const PredictInput& input, const configs::Cluster& cluster,
                                             const configs::Gpu& gpu) {
  std::vector<std::string> texts = cluster.assumptions;
  using timeline::CommunicationOp;
  const auto is = [](CommunicationOp op) {
    return of_communication([op](const timeline::CommunicationEvent& event) { return event.op == op; });
  };
  if (any_event(input, is(CommunicationOp::send)) && !cluster.eager_bytes)
    texts.push_back(fmt::format(
        "messages.eager_bytes of cluster {} is not stated: no send waits for its receive", cluster.name));
  if (any_event(input, of_communication([](const timeline::CommunicationEvent& event) {
                  return timeline::is_collective(event.op);
                })))
    texts.emplace_back(
        "collectives begin when all ranks have come, end for all at once and do not meet other "
        "messages; the arithmetic of reductions takes no time");
  if (any_event(input, of_communication(
                           [](const timeline::CommunicationEvent& event) { return event.through_host; })))
    texts.emplace_back("communication through the host: beside its copies a message takes the links that one "
                       "between the GPUs takes");
  const std::vector<std::string> of_events =
      assumed_events(input).texts(gpu, has_kernels_in_several_streams(input));
  texts.insert(texts.end(), of_events.begin(), of_events.end());
  const bool knows_contents =
      std::any_of(input.buffers.begin(), input.buffers.end(), [](const application::Buffer& buffer) {
        return buffer.contents.kind != application::InitKind::unknown;
      });
  if (knows_contents && input.program.ranks > 1)
    texts.emplace_back(
        "what ranks tell each other is not known: contents of buffers are not followed from kernel "
        "to kernel");
  return texts;
}

} // namespace kerncast::app
