#include "sweep/analysis.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "stability.h"
#include "sweep/names.h"

namespace kerncast::sweep {
namespace {

constexpr std::string_view default_objective = "total_time_us";

// Results of all applications at one point, by the names that objectives use.
struct Results {
  std::map<std::string, double> numbers;
  bool complete = true;
};

std::map<std::pair<std::string, std::string>, Results> by_point(const std::vector<ResultRow>& rows) {
  std::map<std::pair<std::string, std::string>, Results> all;
  for (const ResultRow& row : rows) {
    Results& results = all[{row.gpu, row.point}];
    results.complete = results.complete && row.error.empty();
    for (const auto& [name, value] :
         {std::pair("total_time_us", row.total_time_us), {"gpu_busy_us", row.gpu_busy_us}}) {
      results.numbers[name] += value;
      results.numbers[fmt::format("{}.{}", row.app, name)] = value;
    }
  }
  return all;
}

class Analyst {
public:
  Analyst(const SweepFile& sweep, const Plan& plan) : sweep_(sweep), plan_(plan) {
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

  Expected<Analysis> run(const std::vector<ResultRow>& rows) {
    Expected<std::vector<PointResult>> results = complete_results(rows);
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
    find_speed_ups(rows);
    return std::move(out_);
  }

private:
  Expected<std::vector<PointResult>> complete_results(const std::vector<ResultRow>& rows) {
    const auto results = by_point(rows);
    std::vector<PointResult> complete;
    for (std::uint32_t p = 0; p < plan_.points.size(); ++p) {
      const Point& point = plan_.points[p];
      const auto found = results.find({plan_.bases[point.base].name, text_of(point)});
      if (found == results.end() || !found->second.complete)
        continue;
      PointResult result{p, plan_.bases[point.base].name, text_of(point), point.settings, {}};
      if (const Expected<void> added = add_objectives(point, found->second, result); !added)
        return tl::unexpected(added.error());
      complete.push_back(std::move(result));
    }
    return complete;
  }

  Expected<void> add_objectives(const Point& point, const Results& results, PointResult& out) {
    std::map<std::string, double> numbers = plan_.bases[point.base].numbers;
    if (needs_gpu_) {
      const Expected<configs::Gpu> gpu = plan_.gpu_of(point);
      if (!gpu)
        return tl::unexpected(gpu.error());
      numbers = numbers_of(*gpu);
    }
    for (const configs::Setting& setting : point.settings)
      if (const std::optional<double> number = number_in(setting.value))
        numbers[setting.key] = *number;
    numbers.insert(results.numbers.begin(), results.numbers.end());
    const auto number_of = [&](const std::string& name) {
      const auto known = numbers.find(name);
      return known == numbers.end() ? std::nullopt : std::optional(known->second);
    };
    if (sweep_.objectives.empty())
      out.objectives.push_back(*number_of(std::string(default_objective)));
    for (const Objective& objective : sweep_.objectives) {
      out.objectives.push_back(value_of(sweep_, objective.expression, number_of));
      if (!std::isfinite(out.objectives.back()))
        return fail(sweep_.source->error(objective.name.place, objective.name.length,
                                         fmt::format("{} is no number at {}", objective.name.text, out.point),
                                         {"does it divide by 0?"}));
    }
    return {};
  }

  static std::optional<double> number_in(const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
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

  // One-at-a-time: only the points that change this key, or none.
  bool counts(const PointResult& point, const std::string& key) const {
    if (sweep_.sampling != Sampling::one_at_a_time || point.settings.empty())
      return true;
    return std::any_of(point.settings.begin(), point.settings.end(),
                       [&](const configs::Setting& s) { return s.key == key; });
  }

  // The value of a key at a point, and an objective there.
  struct Value {
    std::string text;
    double number = 0;
    double objective = 0;
  };

  Value value_at(const PointResult& point, const std::string& key, std::size_t objective) const {
    for (const configs::Setting& setting : point.settings)
      if (setting.key == key)
        return {setting.value, number_in(setting.value).value_or(0), point.objectives[objective]};
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
        groups.push_back({value.text, 0, 0});
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
      groups.push_back({values[first].text + " to " + values[end - 1].text, 0, end - first});
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

  void find_speed_ups(const std::vector<ResultRow>& rows) {
    std::map<std::string, std::map<std::string, double>> fastest; // by application and GPU
    std::set<std::pair<std::string, std::string>> as_stated;
    for (const PointResult& point : out_.points)
      as_stated.emplace(point.gpu, point.point);
    for (const ResultRow& row : rows) {
      if (!row.error.empty() || !as_stated.contains({row.gpu, row.point}))
        continue;
      const auto [known, is_new] = fastest[row.app].try_emplace(row.gpu, row.total_time_us);
      known->second = std::min(known->second, row.total_time_us);
    }
    for (const auto& [app, on_gpu] : fastest) {
      SpeedUps speed_ups{app, {}};
      for (const Base& base : plan_.bases) {
        const auto first = on_gpu.find(plan_.bases.front().name);
        const auto own = on_gpu.find(base.name);
        const bool known = first != on_gpu.end() && own != on_gpu.end() && own->second > 0;
        speed_ups.on_gpu.push_back(known ? first->second / own->second : 0);
      }
      out_.speed_ups.push_back(std::move(speed_ups));
    }
  }

  const SweepFile& sweep_;
  const Plan& plan_;
  bool needs_gpu_ = false;
  Analysis out_;
};

} // namespace

Expected<Analysis> analyse(const SweepFile& sweep, const Plan& plan, const std::vector<ResultRow>& rows) {
  return Analyst(sweep, plan).run(rows);
}

} // namespace kerncast::sweep
