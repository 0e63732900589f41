#include "sweep/analysis.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "stability.h"
#include "sweep/names.h"

namespace kerncast::sweep {
namespace {

constexpr std::string_view default_objective = "total_time_us";

// Results by the names that objectives use: of all applications together, and of each.
class ResultNames {
public:
  explicit ResultNames(const std::vector<std::string>& apps) {
    for (std::size_t a = 0; a < apps.size(); ++a)
      for (const auto& [name, member] : members)
        of_app_.emplace(fmt::format("{}.{}", apps[a], name), std::pair(a, member));
  }

  // `times`: of all applications at one point.
  std::optional<double> number(const std::string& name, std::span<const RowTimes> times) const {
    for (const auto& [known, member] : members)
      if (name == known)
        return std::transform_reduce(times.begin(), times.end(), 0.0, std::plus<>(),
                                     [m = member](const RowTimes& t) { return t.*m; });
    const auto found = of_app_.find(name);
    if (found == of_app_.end())
      return std::nullopt;
    return times[found->second.first].*found->second.second;
  }

private:
  using Member = double RowTimes::*;
  static constexpr std::pair<std::string_view, Member> members[] = {{"total_time_us", &RowTimes::total_us},
                                                                    {"gpu_busy_us", &RowTimes::gpu_busy_us}};

  std::map<std::string, std::pair<std::size_t, Member>> of_app_;
};

class Analyst {
public:
  Analyst(const SweepFile& sweep, const Plan& plan, const Times& times)
      : sweep_(sweep), plan_(plan), times_(times), results_(times.apps()) {
    std::vector<const Expression*> expressions;
    for (const Objective& objective : sweep.objectives) {
      out_.objectives.push_back(objective.name.text);
      out_.maximize.push_back(objective.maximize);
      expressions.push_back(&objective.expression);
    }
    if (sweep.objectives.empty()) {
      out_.objectives.emplace_back(default_objective);
      out_.maximize.push_back(false);
    }
    for (const std::string& key : keys_used(sweep, expressions))
      needs_gpu_ = needs_gpu_ || plan.following.contains(key);
  }

  Expected<Analysis> run() {
    Expected<std::vector<PointResult>> results = complete_results();
    if (!results)
      return tl::unexpected(results.error());
    std::vector<PointResult> varied;
    for (PointResult& result : *results)
      (result.index < plan_.as_stated ? out_.points : varied).push_back(std::move(result));
    find_front();
    for (std::size_t o = 0; o < out_.objectives.size(); ++o) {
      if (sweep_.sampling != Sampling::search) // whose points lie where it is best
        find_sensitivities(o);
      if (!plan_.varied.empty())
        out_.stabilities.push_back(stability_of(o, out_, plan_, varied));
    }
    find_speed_ups();
    return std::move(out_);
  }

private:
  Expected<std::vector<PointResult>> complete_results() {
    std::vector<PointResult> complete;
    for (std::uint32_t p = 0; p < plan_.points.size(); ++p) {
      const std::span<const RowTimes> times = times_.at(p);
      if (times.empty())
        continue;
      PointResult result{p, {}};
      if (const Expected<void> added = add_objectives(times, result); !added)
        return tl::unexpected(added.error());
      complete.push_back(std::move(result));
    }
    return complete;
  }

  Expected<void> add_objectives(std::span<const RowTimes> times, PointResult& out) {
    const Point& point = plan_.points[out.index];
    const Expected<NumberOf> keys = plan_.numbers_at(point, needs_gpu_);
    if (!keys)
      return tl::unexpected(keys.error());
    const NumberOf number_of = [&](const std::string& name) {
      const std::optional<double> of_key = (*keys)(name);
      return of_key ? of_key : results_.number(name, times);
    };
    if (sweep_.objectives.empty())
      out.objectives.push_back(*number_of(std::string(default_objective)));
    for (const Objective& objective : sweep_.objectives) {
      out.objectives.push_back(value_of(sweep_, objective.expression, number_of));
      if (!std::isfinite(out.objectives.back()))
        return fail(
            sweep_.source->error(objective.name.place, objective.name.length,
                                 fmt::format("{} is no number at {}", objective.name.text, text_of(point)),
                                 {"does it divide by 0?"}));
    }
    return {};
  }

  // Smaller is better.
  double cost(std::size_t point, std::size_t objective) const {
    const double value = out_.points[point].objectives[objective];
    return out_.maximize[objective] ? -value : value;
  }

  bool beats(std::size_t a, std::size_t b) const {
    bool better = false;
    for (std::size_t o = 0; o < out_.objectives.size(); ++o) {
      if (cost(a, o) > cost(b, o))
        return false;
      better = better || cost(a, o) < cost(b, o);
    }
    return better;
  }

  // Whoever beats a point comes before it in the order of the objectives.
  void find_front() {
    std::vector<std::size_t> order(out_.points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      for (std::size_t o = 0; o < out_.objectives.size(); ++o)
        if (cost(a, o) != cost(b, o))
          return cost(a, o) < cost(b, o);
      return false;
    });
    for (const std::size_t point : order)
      if (std::none_of(out_.front.begin(), out_.front.end(),
                       [&](std::size_t other) { return beats(other, point); }))
        out_.front.push_back(point);
  }

  struct Group {
    std::string name;
    double sum = 0;
    std::size_t points = 0;
    double mean() const { return sum / static_cast<double>(points); }
  };

  bool is_computed(const std::string& key) const {
    return std::ranges::any_of(sweep_.computed, [&](const AxisKey& c) { return c.key.text == key; });
  }

  // One-at-a-time: only the points that change this key, or none but those that are expressions.
  bool counts(const PointResult& point, const std::string& key) const {
    const std::vector<configs::Setting>& settings = plan_.points[point.index].settings;
    if (sweep_.sampling != Sampling::one_at_a_time)
      return true;
    return std::ranges::any_of(settings, [&](const configs::Setting& s) { return s.key == key; }) ||
           std::ranges::all_of(settings, [&](const configs::Setting& s) { return is_computed(s.key); });
  }

  // The value of a key at a point, and an objective there.
  struct Value {
    std::string_view text; // of the plan
    double number = 0;
    double objective = 0;
  };

  Value value_at(const PointResult& point, const std::string& key, std::size_t objective) const {
    for (const configs::Setting& setting : plan_.points[point.index].settings)
      if (setting.key == key)
        return {setting.value, as_number(setting.value).value_or(0), point.objectives[objective]};
    return {"as it is", 0, point.objectives[objective]};
  }

  std::vector<Value> values_of(const std::string& key, std::size_t objective) const {
    std::vector<Value> values;
    for (const PointResult& point : out_.points)
      if (counts(point, key))
        values.push_back(value_at(point, key, objective));
    std::stable_sort(values.begin(), values.end(), [](const Value& a, const Value& b) {
      return std::tie(a.number, a.text) < std::tie(b.number, b.text);
    });
    return values;
  }

  static std::vector<Group> by_value(const std::vector<Value>& values) {
    std::vector<Group> groups;
    for (const Value& value : values) {
      if (groups.empty() || groups.back().name != value.text)
        groups.push_back({std::string(value.text), 0, 0});
      groups.back().sum += value.objective;
      ++groups.back().points;
    }
    return groups;
  }

  static std::vector<Group> by_range(const std::vector<Value>& values) {
    constexpr std::size_t ranges = 4;
    std::vector<Group> groups;
    for (std::size_t r = 0; r < ranges; ++r) {
      const std::size_t first = r * values.size() / ranges, end = (r + 1) * values.size() / ranges;
      groups.push_back({fmt::format("{} to {}", values[first].text, values[end - 1].text), 0, end - first});
      for (std::size_t i = first; i < end; ++i)
        groups.back().sum += values[i].objective;
    }
    return groups;
  }

  std::vector<Group> groups_of(const std::string& key, std::size_t objective) const {
    constexpr std::size_t most_groups = 32;
    const std::vector<Value> values = values_of(key, objective);
    std::vector<Group> groups = by_value(values);
    return groups.size() <= most_groups ? groups : by_range(values);
  }

  void find_sensitivities(std::size_t objective) {
    double sum = 0;
    for (const PointResult& point : out_.points)
      sum += point.objectives[objective];
    const double mean = sum / static_cast<double>(std::max<std::size_t>(1, out_.points.size()));
    const std::size_t first = out_.sensitivities.size();
    for (const Axis& axis : sweep_.axes) {
      const std::string& key = axis.keys.front().key.text;
      const std::vector<Group> groups = groups_of(key, objective);
      if (groups.size() < 2)
        continue;
      const auto [least, most] = std::minmax_element(
          groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.mean() < b.mean(); });
      out_.sensitivities.push_back({key, objective, least->mean(), most->mean(), least->name, most->name,
                                    mean == 0 ? 0 : (most->mean() - least->mean()) / std::fabs(mean)});
    }
    std::stable_sort(out_.sensitivities.begin() + static_cast<std::ptrdiff_t>(first),
                     out_.sensitivities.end(),
                     [](const Sensitivity& a, const Sensitivity& b) { return a.swing > b.swing; });
  }

  void find_speed_ups() {
    if (out_.points.empty())
      return;
    constexpr double never = std::numeric_limits<double>::infinity();
    for (std::size_t app = 0; app < times_.apps().size(); ++app) {
      std::vector<double> fastest(plan_.bases.size(), never);
      for (const PointResult& point : out_.points) {
        double& known = fastest[plan_.points[point.index].base];
        known = std::min(known, times_.at(point.index)[app].total_us);
      }
      SpeedUps speed_ups{times_.apps()[app], {}};
      for (const double own : fastest) {
        const bool known = fastest.front() != never && own != never && own > 0;
        speed_ups.on_gpu.push_back(known ? fastest.front() / own : 0);
      }
      out_.speed_ups.push_back(std::move(speed_ups));
    }
  }

  const SweepFile& sweep_;
  const Plan& plan_;
  const Times& times_;
  ResultNames results_;
  bool needs_gpu_ = false;
  Analysis out_;
};

} // namespace

Expected<Analysis> analyse(const SweepFile& sweep, const Plan& plan, const Times& times) {
  return Analyst(sweep, plan, times).run();
}

} // namespace kerncast::sweep
