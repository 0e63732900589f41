#include "launch_sample.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "estimated_launches.h"
#include "statistics/logarithm.h"

namespace kerncast::app {
namespace {

using statistics::Point;
using tasklist::Argument;

// Of any sign, and 0 of 0.
double logarithm(double value) {
  return std::isfinite(value) ? std::copysign(statistics::binary_logarithm(1 + std::abs(value)), value) : 0;
}

double value_of(const Argument& argument) {
  switch (argument.kind) {
  case Argument::Kind::i32:
    return static_cast<std::int32_t>(argument.bits);
  case Argument::Kind::u32:
  case Argument::Kind::u64:
    return static_cast<double>(argument.bits);
  case Argument::Kind::i64:
    return static_cast<double>(static_cast<std::int64_t>(argument.bits));
  case Argument::Kind::f32:
    return std::bit_cast<float>(static_cast<std::uint32_t>(argument.bits));
  case Argument::Kind::f64:
    return std::bit_cast<double>(argument.bits);
  case Argument::Kind::buffer:
    return static_cast<double>(argument.buffer_bytes - std::min(argument.bits, argument.buffer_bytes));
  case Argument::Kind::unknown:
  case Argument::Kind::structure:
    return 0;
  }
  return 0;
}

// What tells the launch from others of its family.
Point point_of(const LaunchJob& job) {
  const tasklist::Launch& launch = job.launch;
  Point point{logarithm(static_cast<double>(launch.grid.count())), logarithm(launch.grid.x),
              logarithm(launch.grid.y)};
  for (const Argument& argument : launch.arguments)
    point.push_back(logarithm(value_of(argument)));
  for (const tasklist::StructMember& member : launch.members)
    point.push_back(logarithm(value_of(member.value)));
  for (const auto& [where, probability] : launch.facts.branch_taken)
    point.push_back(probability);
  for (const auto& [where, trips] : launch.facts.loop_trips)
    point.push_back(logarithm(static_cast<double>(trips)));
  if (job.hit_rates)
    point.insert(point.end(), {job.hit_rates->l1, job.hit_rates->l2});
  return point;
}

// Launches with equal keys are of one family.
std::vector<std::uint64_t> key_of(const LaunchJob& job, std::size_t coordinates) {
  const tasklist::Launch& launch = job.launch;
  const tasklist::Dim3 cluster = launch.cluster.value_or(tasklist::Dim3{0, 0, 0});
  return {job.kernel,
          coordinates,
          launch.block.x,
          launch.block.y,
          launch.block.z,
          cluster.x,
          cluster.y,
          cluster.z,
          launch.dynamic_shared_bytes,
          launch.registers.value_or(0),
          launch.spill_store_bytes.value_or(UINT32_MAX)};
}

std::vector<LaunchFamily> families_of(const PredictInput& input) {
  std::map<std::vector<std::uint64_t>, LaunchFamily> by_key;
  for (std::size_t i = 0; i < input.launches.size(); ++i) {
    const LaunchJob& job = input.launches[i];
    if (job.behaviour || job.contents)
      continue;
    Point point = point_of(job);
    LaunchFamily& family = by_key[key_of(job, point.size())];
    family.kernel = job.kernel;
    family.launches.push_back(i);
    family.points.push_back(std::move(point));
  }
  std::vector<LaunchFamily> families;
  for (auto& [key, family] : by_key)
    families.push_back(std::move(family));
  return families;
}

// The one that happens most often, then those farthest from all before.
void choose(LaunchFamily& family, const PredictInput& input, std::uint64_t most) {
  statistics::normalise(family.points);
  const auto happens = [&](std::size_t launch) { return input.launches[launch].launches; };
  const auto first = std::ranges::max_element(family.launches, {}, happens) - family.launches.begin();
  family.simulated = statistics::spread_points(family.points, most, static_cast<std::size_t>(first));
  std::ranges::sort(family.simulated);
}

} // namespace

LaunchSample sample_launches(const PredictInput& input, std::uint64_t most_of_a_family) {
  LaunchSample sample;
  std::vector<bool> simulated(input.launches.size(), true);
  for (LaunchFamily& family : families_of(input)) {
    if (family.launches.size() <= most_of_a_family)
      continue;
    choose(family, input, most_of_a_family);
    if (family.simulated.size() < least_sampled_launches) // nothing tells them apart
      continue;
    for (const std::size_t launch : family.launches)
      simulated[launch] = false;
    for (const std::size_t position : family.simulated)
      simulated[family.launches[position]] = true;
    sample.families.push_back(std::move(family));
  }
  for (std::size_t i = 0; i < simulated.size(); ++i)
    if (simulated[i])
      sample.simulated.push_back(i);
  return sample;
}

Expected<std::vector<Predictions>> predict_sampled(std::span<const Model* const> models, PredictInput& input,
                                                   const std::vector<configs::Gpu>& gpus,
                                                   const PredictOptions& options,
                                                   const cluster::Cluster& cluster) {
  const LaunchSample sample = sample_launches(input, *options.sample_launches);
  std::vector<LaunchJob> chosen;
  for (const std::size_t launch : sample.simulated)
    chosen.push_back(input.launches[launch]);
  input.sampled_from = {std::exchange(input.launches, std::move(chosen)), sample.simulated};
  Expected<std::vector<Predictions>> by_model = predict_with(models, {input, gpus, options, cluster});
  input.launches = std::move(input.sampled_from->launches);
  input.sampled_from.reset();
  if (!by_model)
    return by_model;
  for (Predictions& predictions : *by_model)
    for (std::vector<engine::KernelPrediction>& of_launch : predictions.of_gpu) {
      SampledPredictions estimated = estimate_others(sample, input.launches, std::move(of_launch));
      of_launch = std::move(estimated.of_launch);
      predictions.sampled.push_back(sampled_launches(sample, input.launches, estimated.errors));
    }
  return by_model;
}

} // namespace kerncast::app
