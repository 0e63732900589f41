#include "following.h"

#include <algorithm>

#include "axis_points.h"
#include "point_settings.h"

namespace kerncast::sweep {
namespace {

class Follower {
public:
  Follower(const SweepFile& sweep, const Plan& plan) : sweep_(sweep), plan_(plan) {}

  Following find() {
    for (std::uint32_t b = 0; b < plan_.bases.size(); ++b)
      try_base(b);
    found_.keys.insert(found_.of_expressions.begin(), found_.of_expressions.end());
    forget_what_every_point_sets();
    return std::move(found_);
  }

private:
  void try_base(std::uint32_t base) {
    const Point as_it_is{base, {}};
    try_expressions(as_it_is);
    for (const Axis& axis : sweep_.axes)
      for (const bool last : {false, true}) {
        const Point end = point_of(base, end_of(axis, last));
        compare(as_it_is, end, found_.keys);
        try_expressions(end);
      }
    const Expected<NumberOf> stated = plan_.numbers_at(as_it_is, false);
    for (const Uncertain& uncertain : sweep_.uncertain)
      for (const double share : {-uncertain.error, uncertain.error})
        if (const std::optional<configs::Setting> setting = varied(uncertain, share, *stated))
          compare(as_it_is, {base, {*setting}}, found_.keys);
  }

  // All of them together, and each alone.
  void try_expressions(const Point& point) {
    if (sweep_.computed.empty())
      return;
    Point all = point;
    for (const configs::Setting& setting : computed_settings(sweep_, plan_, point, true)) {
      Point one = point;
      set(setting, one);
      set(setting, all);
      compare(point, one, found_.of_expressions);
    }
    compare(point, all, found_.of_expressions);
  }

  // Keys that are others on `changed`, but for those that it sets itself.
  void compare(const Point& before, const Point& changed, std::set<std::string>& following) const {
    const Expected<NumberOf> numbers = plan_.numbers_at(before, true);
    const Expected<configs::Gpu> gpu = plan_.gpu_of(changed);
    if (!numbers || !gpu)
      return;
    for (const auto& [name, number] : numbers_of(*gpu)) {
      const std::optional<double> known = (*numbers)(name);
      const bool is_set =
          std::ranges::find(changed.settings, name, &configs::Setting::key) != changed.settings.end();
      if (known && *known != number && !is_set)
        following.insert(name);
    }
  }

  void forget_what_every_point_sets() {
    for (const AxisKey& computed : sweep_.computed)
      found_.keys.erase(computed.key.text);
    if (sweep_.sampling == Sampling::one_at_a_time)
      return;
    for (const Axis& axis : sweep_.axes)
      for (const AxisKey& key : axis.keys)
        found_.keys.erase(key.key.text);
  }

  const SweepFile& sweep_;
  const Plan& plan_;
  Following found_;
};

} // namespace

Following find_following(const SweepFile& sweep, const Plan& plan) { return Follower(sweep, plan).find(); }

} // namespace kerncast::sweep
