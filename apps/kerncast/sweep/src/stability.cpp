#include "stability.h"

#include <algorithm>
#include <map>
#include <optional>

#include "statistics/ranks.h"

namespace kerncast::sweep {
namespace {

// One sample: an objective at the points, as stated and varied. Points without a prediction are left out.
struct Sample {
  std::vector<std::size_t> points; // of Analysis::points
  std::vector<double> stated;
  std::vector<double> varied;
};

std::size_t best_of(const Sample& sample, bool maximize) {
  const auto best = maximize ? std::max_element(sample.varied.begin(), sample.varied.end())
                             : std::min_element(sample.varied.begin(), sample.varied.end());
  return sample.points[static_cast<std::size_t>(best - sample.varied.begin())];
}

} // namespace

Stability stability_of(std::size_t objective, const Analysis& analysis, const Plan& plan,
                       const std::vector<PointResult>& varied) {
  std::map<std::uint32_t, double> known; // by index of the plan
  for (const std::vector<PointResult>* results : {&analysis.points, &varied})
    for (const PointResult& result : *results)
      known.emplace(result.index, result.objectives[objective]);
  Stability out;
  out.objective = objective;
  double spearman = 0, kendall = 0;
  std::map<std::size_t, std::size_t> times_best;
  for (const std::vector<std::uint32_t>& of_sample : plan.varied) {
    Sample sample;
    for (std::size_t i = 0; i < analysis.points.size(); ++i) {
      const PointResult& point = analysis.points[i];
      const auto found = known.find(of_sample[point.index]);
      if (found == known.end())
        continue;
      sample.points.push_back(i);
      sample.stated.push_back(point.objectives[objective]);
      sample.varied.push_back(found->second);
    }
    const std::optional<double> rho = statistics::spearman(sample.stated, sample.varied);
    const std::optional<double> tau = statistics::kendall(sample.stated, sample.varied);
    if (!rho || !tau)
      continue;
    ++out.samples;
    out.least_spearman = std::min(out.least_spearman, *rho);
    out.least_kendall = std::min(out.least_kendall, *tau);
    spearman += *rho;
    kendall += *tau;
    ++times_best[best_of(sample, analysis.maximize[objective])];
  }
  if (out.samples != 0) {
    out.mean_spearman = spearman / static_cast<double>(out.samples);
    out.mean_kendall = kendall / static_cast<double>(out.samples);
  }
  out.best.assign(times_best.begin(), times_best.end());
  std::stable_sort(out.best.begin(), out.best.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

} // namespace kerncast::sweep
