#include "axis_points.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "sweep/sampling.h"

namespace kerncast::sweep {
namespace {

// Where on an axis: number of the value in a list, and a share in [0, 1] of a range.
struct Position {
  std::size_t index = 0;
  double share = 0;
};

double value_in(const Range& range, double share) {
  return range.geometric ? between_geometrically(range.from, range.to, share)
                         : range.from + (range.to - range.from) * share;
}

std::string value_at(const AxisKey& key, Position at) {
  return key.range ? number_text(value_in(*key.range, at.share), key.round) : key.values[at.index].text;
}

void add_settings(const Axis& axis, Position at, std::vector<configs::Setting>& settings) {
  for (const AxisKey& key : axis.keys)
    settings.push_back({key.key.text, value_at(key, at)});
}

Position step(const Axis& axis, std::size_t index) {
  const std::size_t last = std::max<std::size_t>(2, axis.steps) - 1;
  return {index, static_cast<double>(index) / static_cast<double>(last)};
}

// Lists and ranges with steps have points at their values only.
Position sampled(const Axis& axis, double coordinate) {
  if (axis.steps == 0)
    return {0, coordinate};
  const auto index = static_cast<std::size_t>(coordinate * static_cast<double>(axis.steps));
  return step(axis, std::min(axis.steps - 1, index));
}

using PointSink = std::function<bool(std::vector<configs::Setting>)>;

void grid(const SweepFile& sweep, const PointSink& f) {
  std::vector<std::size_t> at(sweep.axes.size());
  for (;;) {
    std::vector<configs::Setting> settings;
    for (std::size_t a = 0; a < at.size(); ++a)
      add_settings(sweep.axes[a], step(sweep.axes[a], at[a]), settings);
    if (!f(std::move(settings)))
      return;
    std::size_t a = at.size(); // the last axis moves fastest
    while (a > 0 && ++at[a - 1] == sweep.axes[a - 1].steps)
      at[--a] = 0;
    if (a == 0)
      return;
  }
}

void one_at_a_time(const SweepFile& sweep, const PointSink& f) {
  if (!f({}))
    return;
  for (const Axis& axis : sweep.axes)
    for (std::size_t i = 0; i < axis.steps; ++i) {
      std::vector<configs::Setting> settings;
      add_settings(axis, step(axis, i), settings);
      if (!f(std::move(settings)))
        return;
    }
}

void samples(const SweepFile& sweep, const PointSink& f) {
  const auto sample = sweep.sampling == Sampling::sobol ? sobol : latin_hypercube;
  for (const Coordinates& coordinates : sample(sweep.axes.size(), sweep.points, sweep.seed)) {
    std::vector<configs::Setting> settings;
    for (std::size_t a = 0; a < coordinates.size(); ++a)
      add_settings(sweep.axes[a], sampled(sweep.axes[a], coordinates[a]), settings);
    if (!f(std::move(settings)))
      return;
  }
}

} // namespace

std::string number_text(double value, std::optional<double> round) {
  if (round)
    value = *round * std::round(value / *round);
  const std::string digits = fmt::format("{:.9g}", value);
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return fmt::format("{}", value == 0 ? 0.0 : value); // no -0
}

std::vector<Text> sample_values(const Axis& axis, const AxisKey& key) {
  if (!key.range)
    return key.values;
  constexpr std::size_t most = 17;
  const std::size_t last = (axis.steps == 0 ? most : axis.steps) - 1;
  std::vector<Text> values;
  for (std::size_t i = 0; i < std::min(last + 1, most); ++i) {
    const std::size_t index = i * last / (std::min(last + 1, most) - 1);
    const double share = static_cast<double>(index) / static_cast<double>(last);
    values.push_back({value_at(key, {0, share}), key.key.place, key.key.length});
  }
  return values;
}

std::vector<std::string> values_of(const Axis& axis) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < axis.steps; ++i)
    if (std::string value = value_at(axis.keys.front(), step(axis, i));
        values.empty() || values.back() != value)
      values.push_back(std::move(value));
  return values;
}

std::vector<configs::Setting> end_of(const Axis& axis, bool last) {
  std::vector<configs::Setting> settings;
  add_settings(axis, {last ? std::max<std::size_t>(1, axis.steps) - 1 : 0, last ? 1.0 : 0.0}, settings);
  return settings;
}

void for_each_setting(const SweepFile& sweep, const PointSink& f) {
  if (sweep.sampling == Sampling::grid || sweep.sampling == Sampling::search)
    grid(sweep, f);
  else if (sweep.sampling == Sampling::one_at_a_time)
    one_at_a_time(sweep, f);
  else
    samples(sweep, f);
}

} // namespace kerncast::sweep
