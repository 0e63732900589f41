#include "sweep/job.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "sweep/program_version.h"

namespace kerncast::app {
namespace {

// Points, GPUs and applications: rows of sweeps that agree in it can be mixed.
Expected<sweep::Fingerprint> inputs_of(const SweepJob& job) {
  std::string text;
  for (const sweep::Base& base : job.plan.bases) {
    const Expected<configs::Gpu> gpu = base.variants.with({});
    if (!gpu)
      return tl::unexpected(gpu.error());
    text += fmt::format("{} {}\n", base.name, sweep::hash_of(*gpu).text());
  }
  for (const ApplicationFacts& app : job.apps)
    text += fmt::format("{} {}\n", app.name, app.contents);
  std::vector<std::string> points;
  for (const sweep::Point& point : job.plan.points)
    points.push_back(fmt::format("{} {}\n", job.plan.bases[point.base].name, sweep::text_of(point)));
  std::sort(points.begin(), points.end());
  for (const std::string& point : points)
    text += point;
  return sweep::fingerprint(text);
}

} // namespace

Expected<sweep::StoreContents> store_contents(const SweepJob& job) {
  return inputs_of(job).map([&](const sweep::Fingerprint& inputs) {
    return sweep::StoreContents{job.file.name, program_version(), inputs, job.plan.keys};
  });
}

} // namespace kerncast::app
