#include "point_settings.h"

#include <algorithm>
#include <cmath>

#include "axis_points.h"
#include "sweep/names.h"

namespace kerncast::sweep {

Point point_of(std::uint32_t base, std::vector<configs::Setting> settings) {
  std::ranges::sort(settings, {}, &configs::Setting::key);
  return {base, std::move(settings)};
}

void set(configs::Setting setting, Point& point) {
  const auto at = std::ranges::lower_bound(point.settings, setting.key, {}, &configs::Setting::key);
  if (at != point.settings.end() && at->key == setting.key)
    at->value = std::move(setting.value);
  else
    point.settings.insert(at, std::move(setting));
}

std::vector<configs::Setting> computed_settings(const SweepFile& sweep, const Plan& plan, const Point& stated,
                                                bool of_gpu) {
  std::vector<configs::Setting> settings;
  const Expected<NumberOf> number_of = plan.numbers_at(stated, of_gpu);
  if (!number_of)
    return settings;
  for (const AxisKey& computed : sweep.computed) {
    const double value = value_of(sweep, *computed.expression, *number_of);
    settings.push_back({computed.key.text, std::isfinite(value) ? number_text(value, computed.round) : ""});
  }
  return settings;
}

std::optional<configs::Setting> varied(const Uncertain& uncertain, double share, const NumberOf& stated) {
  const std::optional<double> number = stated(uncertain.key.text);
  if (!number)
    return std::nullopt;
  return configs::Setting{uncertain.key.text, number_text(*number * (1 + share), uncertain.round)};
}

} // namespace kerncast::sweep
