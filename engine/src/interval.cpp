// Independent errors add in squares, longer and shorter by themselves.
#include <algorithm>
#include <cmath>

#include "engine/uncertainty.h"

namespace kerncast::engine {
namespace {

double squared(double x) { return x * x; }

// Factors less one, of one standard error: 0.1 up is 1.1 times as long, 0.1 down 1.1 times as short.
struct Deviation {
  std::string source;
  double up = 0;
  double down = 0;
};

void add(std::vector<Deviation>& all, const Effect& effect) {
  const auto same = [&](const Deviation& one) { return one.source == effect.source; };
  auto found = std::find_if(all.begin(), all.end(), same);
  if (found == all.end())
    found = all.insert(all.end(), {effect.source});
  const double up = (effect.ratio - 1) / effect.deviations;
  const double down = (1 / effect.ratio - 1) / effect.deviations;
  const double mirrored = effect.is_mirrored ? std::max(up, down) : 0;
  found->up = std::max({found->up, up, mirrored});
  found->down = std::max({found->down, down, mirrored});
}

} // namespace

Interval interval_of(double cycles, const VariedPlans& varied, const CyclesOf& cycles_of) {
  const double cycles_of_start = varied.start ? cycles_of(*varied.start) : 0;
  std::vector<Effect> effects;
  for (const VariedPlan& one : varied.plans)
    effects.push_back(
        {one.source, one.is_mirrored, one.deviations,
         std::min(one.most_ratio, cycles_of(one.plan) / (one.is_start ? cycles_of_start : cycles))});
  return interval_of(effects);
}

Interval interval_of(std::span<const Effect> effects) {
  std::vector<Deviation> all;
  for (const Effect& effect : effects)
    add(all, effect);
  std::stable_sort(all.begin(), all.end(), [](const Deviation& a, const Deviation& b) {
    return std::max(a.up, a.down) > std::max(b.up, b.down);
  });
  all.insert(all.begin(), {"model", model_error, model_error});
  Interval interval;
  double up = 0, down = 0;
  for (const Deviation& one : all) {
    up += squared(one.up);
    down += squared(one.down);
    interval.sources.push_back(
        {one.source, interval_deviations * one.up, 1 - 1 / (1 + interval_deviations * one.down)});
  }
  interval.low = 1 / (1 + interval_deviations * std::sqrt(down));
  interval.high = 1 + interval_deviations * std::sqrt(up);
  return interval;
}

} // namespace kerncast::engine
