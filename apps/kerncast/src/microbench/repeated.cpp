#include "repeated.h"

#include <algorithm>

namespace kerncast::app {
namespace {

Experiment with_trips(const Repeated& repeated, std::uint32_t trips) {
  Experiment experiment = {repeated.kernel, repeated.launch};
  experiment.launch.arguments.push_back(argument(trips));
  return experiment;
}

} // namespace

Expected<double> cycles_per_trip(const Laboratory& laboratory, const Repeated& repeated) {
  double cycles[2] = {};
  const std::uint32_t trips[2] = {repeated.few, repeated.many};
  for (std::size_t i = 0; i < 2; ++i) {
    std::vector<Experiment> launches;
    if (repeated.warm) {
      launches.push_back(with_trips(repeated, 1));
      launches.back().launch.grid = {};
    }
    launches.push_back(with_trips(repeated, trips[i]));
    const auto prediction = laboratory.run(launches, repeated.buffers, repeated.textures);
    if (!prediction)
      return tl::unexpected(prediction.error());
    cycles[i] = prediction->cycles;
  }
  return (cycles[1] - cycles[0]) / (repeated.many - repeated.few);
}

std::uint32_t resident_ctas(const configs::Gpu& gpu, std::uint32_t threads) {
  const std::uint32_t warps = (threads + tasklist::lanes_per_warp - 1) / tasklist::lanes_per_warp;
  return std::min(
      {gpu.limits.threads_per_sm / threads, gpu.limits.warps_per_sm / warps, gpu.limits.ctas_per_sm});
}

} // namespace kerncast::app
