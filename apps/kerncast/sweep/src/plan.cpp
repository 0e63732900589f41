// Values of axes become settings, settings become points; what is alike is kept once, what breaks a
// constraint is left out.
#include "sweep/plan.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "axis_points.h"
#include "configs/isa.h"
#include "following.h"
#include "point_settings.h"
#include "sweep/names.h"
#include "sweep/sampling.h"

namespace kerncast::sweep {
namespace {

void append(Diagnostics& all, const Diagnostics& more) { all.insert(all.end(), more.begin(), more.end()); }

// What the loader says about a --set, at the place that states it.
Diagnostics at_place(const Diagnostics& errors, const SourceText& source, const Text& key,
                     const Text& value) {
  constexpr std::string_view prefix = "--set: ";
  Diagnostics located;
  for (const Diagnostic& d : errors) {
    if (!d.message.starts_with(prefix)) {
      located.push_back(d); // of the GPU's own files
      continue;
    }
    const bool of_key =
        d.message.find("unknown key") != std::string::npos || d.message.find("no unit") != std::string::npos;
    const Text& at = of_key ? key : value;
    located.push_back(source.error(at.place, at.length, d.message.substr(prefix.size()), d.notes));
  }
  return located;
}

Fingerprint hash_of(const configs::IsaTable& isa) {
  std::string text;
  const auto add = [&](const std::vector<configs::MachineOpSpec>& ops) {
    for (const configs::MachineOpSpec& op : ops)
      text += fmt::format("{},{},{},{},{};", op.unit, op.latency, op.issue_interval, op.count, op.parallel);
    text += '|';
  };
  for (const configs::IsaRow& row : isa.rows) {
    for (const std::string& token : row.tokens)
      text += token + '.';
    add(row.machine);
    add(row.rare);
    add(row.slow);
    add(row.called);
    text += fmt::format("{},{}\n", row.routine, row.registers);
  }
  return fingerprint(text);
}

class Planner {
public:
  Planner(const SweepFile& sweep, const configs::ConfigPath& path) : sweep_(sweep), path_(path) {}

  Expected<Plan> run() {
    open_bases();
    if (errors_.empty())
      check_values();
    if (errors_.empty() && check_expressions())
      find_following();
    if (errors_.empty())
      add_points();
    if (errors_.empty())
      add_varied();
    if (errors_.empty() && plan_.points.empty()) {
      const Text& first = sweep_.constraints.front().name; // nothing else leaves points out
      errors_.push_back(sweep_.source->error(first.place, first.length, "no point satisfies the constraints",
                                             {fmt::format("{} points were tried", plan_.refused)}));
    }
    if (!errors_.empty())
      return tl::unexpected(std::move(errors_));
    return std::move(plan_);
  }

private:
  void open_bases() {
    for (const Text& base : sweep_.bases) {
      const bool is_file = base.text.ends_with(".toml");
      const std::string name = is_file ? path_of(*sweep_.source, base.text) : base.text;
      const Expected<configs::GpuVariants> variants = configs::GpuVariants::open(name, path_);
      const Expected<configs::Gpu> gpu =
          variants.and_then([](const configs::GpuVariants& v) { return v.with({}); });
      if (gpu)
        add_base(base, *variants, *gpu);
      else
        append(errors_, at_base(base, gpu.error()));
    }
  }

  // What no file is to blame for is said where the sweep names the GPU.
  Diagnostics at_base(const Text& base, const Diagnostics& errors) const {
    Diagnostics located;
    for (const Diagnostic& d : errors)
      located.push_back(d.file.empty() ? sweep_.source->error(base.place, base.length, d.message, d.notes)
                                       : d);
    return located;
  }

  void add_base(const Text& base, const configs::GpuVariants& variants, const configs::Gpu& gpu) {
    for (const Base& other : plan_.bases)
      if (other.name == gpu.name)
        errors_.push_back(sweep_.source->error(base.place, base.length,
                                               fmt::format("a second GPU called '{}'", gpu.name),
                                               {"results tell GPUs by their names: leave one out"}));
    plan_.bases.push_back({gpu.name, variants, numbers_of(gpu)});
  }

  // Of each axis all values of lists, and enough of a range to see whether the key takes its values.
  void check_values() {
    for (const Axis& axis : sweep_.axes)
      for (const AxisKey& key : axis.keys) {
        plan_.keys.push_back(key.key.text);
        for (const Base& base : plan_.bases)
          if (errors_.empty())
            check_values(base, axis, key);
      }
    for (const AxisKey& computed : sweep_.computed)
      plan_.keys.push_back(computed.key.text);
    for (const Uncertain& uncertain : sweep_.uncertain)
      plan_.keys.push_back(uncertain.key.text);
    std::sort(plan_.keys.begin(), plan_.keys.end());
    plan_.keys.erase(std::unique(plan_.keys.begin(), plan_.keys.end()), plan_.keys.end());
  }

  void check_values(const Base& base, const Axis& axis, const AxisKey& key) {
    for (const Text& value : sample_values(axis, key)) {
      const Expected<void> taken = base.variants.check({{key.key.text, value.text}});
      if (taken)
        continue;
      Diagnostics located = at_place(taken.error(), *sweep_.source, key.key, value);
      if (key.range && !key.round)
        for (Diagnostic& d : located)
          if (d.message.find("whole number") != std::string::npos)
            d.notes.insert(d.notes.begin(), "state round = 1 in the braces of the range");
      append(errors_, located);
      return; // the other values would say the same
    }
  }

  bool check_expressions() {
    // Results are checked by who knows the applications.
    SweepFile without_objectives = sweep_;
    without_objectives.objectives.clear();
    const Expected<void> names = check_names(without_objectives, plan_, {});
    if (!names)
      append(errors_, names.error());
    std::set<std::string> computed;
    for (const AxisKey& key : sweep_.computed)
      computed.insert(key.key.text);
    refuse_expressions_over(computed, "is itself an expression");
    return errors_.empty();
  }

  void find_following() {
    Following found = sweep::find_following(sweep_, plan_);
    refuse_expressions_over(found.of_expressions, "changes with an expression");
    plan_.following = std::move(found.keys);
  }

  // They are found at once, from keys that none of them changes.
  void refuse_expressions_over(const std::set<std::string>& keys, std::string_view why) {
    for (const AxisKey& computed : sweep_.computed)
      for (const NameUse& use : computed.expression->names)
        if (keys.contains(use.name))
          errors_.push_back(sweep_.source->error(use.place, static_cast<std::uint32_t>(use.name.size()),
                                                 fmt::format("'{}' {}", use.name, why),
                                                 {"write it over other keys"}));
  }

  bool follow(const std::vector<const Expression*>& expressions) const {
    const std::set<std::string> keys = keys_used(sweep_, expressions);
    return std::ranges::any_of(keys, [&](const std::string& key) { return plan_.following.contains(key); });
  }

  void add_points() {
    std::vector<const Expression*> conditions;
    for (const NamedExpression& constraint : sweep_.constraints)
      conditions.push_back(&constraint.expression);
    constraints_follow_ = follow(conditions);
    std::vector<const Expression*> computed;
    for (const AxisKey& key : sweep_.computed)
      computed.push_back(&*key.expression);
    const bool computed_follow = follow(computed);
    std::set<std::string> seen;
    for (std::uint32_t b = 0; b < plan_.bases.size() && errors_.empty(); ++b)
      for_each_setting(sweep_, [&](std::vector<configs::Setting> settings) {
        Point point = point_of(b, std::move(settings));
        add_computed(point, computed_follow);
        if (!errors_.empty())
          return false;
        if (!seen.insert(name_of(point)).second)
          ++plan_.repeated;
        else if (!holds(point))
          ++plan_.refused;
        else
          plan_.points.push_back(std::move(point));
        return errors_.empty();
      });
    plan_.as_stated = plan_.points.size();
  }

  static std::string name_of(const Point& point) { return fmt::format("{} {}", point.base, text_of(point)); }

  // The same samples for all points, so that only the points differ within one.
  void add_varied() {
    if (sweep_.uncertain.empty())
      return;
    std::map<std::string, std::uint32_t> known;
    for (std::uint32_t p = 0; p < plan_.as_stated; ++p)
      known.emplace(name_of(plan_.points[p]), p);
    for (const Coordinates& sample : latin_hypercube(sweep_.uncertain.size(), sweep_.samples, sweep_.seed)) {
      std::vector<std::uint32_t>& points = plan_.varied.emplace_back();
      for (std::size_t p = 0; p < plan_.as_stated && errors_.empty(); ++p) {
        Point point = plan_.points[p];
        vary(sample, point);
        const auto next = static_cast<std::uint32_t>(plan_.points.size());
        const auto [at, is_new] = known.emplace(name_of(point), next);
        points.push_back(at->second);
        if (is_new)
          plan_.points.push_back(std::move(point));
      }
    }
  }

  bool uncertain_follow() const {
    return std::ranges::any_of(sweep_.uncertain, [&](const Uncertain& uncertain) {
      return plan_.following.contains(uncertain.key.text);
    });
  }

  void vary(const Coordinates& sample, Point& point) {
    const Point stated = point;
    const Expected<NumberOf> numbers = plan_.numbers_at(stated, uncertain_follow());
    if (!numbers)
      return; // there can be no such GPU: its row will say so
    for (std::size_t u = 0; u < sweep_.uncertain.size() && errors_.empty(); ++u) {
      const Uncertain& uncertain = sweep_.uncertain[u];
      const std::optional<configs::Setting> setting =
          varied(uncertain, uncertain.error * (2 * sample[u] - 1), *numbers);
      if (!setting) {
        errors_.push_back(
            sweep_.source->error(uncertain.key.place, uncertain.key.length,
                                 fmt::format("{} has no number that could vary", uncertain.key.text),
                                 {"'kerncast gpus show' has the keys with their values"}));
        return;
      }
      set(*setting, point);
      if (plan_.varied.size() == 1) // the first sample stands for the others
        if (const auto taken = plan_.bases[point.base].variants.check({*setting}); !taken)
          append(errors_, at_place(taken.error(), *sweep_.source, uncertain.key, uncertain.key));
    }
  }

  void add_computed(Point& point, bool of_gpu) {
    const std::vector<configs::Setting> settings = computed_settings(sweep_, plan_, point, of_gpu);
    for (std::size_t i = 0; i < settings.size() && errors_.empty(); ++i) {
      const AxisKey& computed = sweep_.computed[i];
      const Text at{{},
                    computed.expression->names.empty() ? computed.key.place
                                                       : computed.expression->names.front().place,
                    1};
      if (settings[i].value.empty())
        errors_.push_back(sweep_.source->error(
            at.place, at.length, fmt::format("{} is no number at {}", computed.key.text, text_of(point)),
            {"does it divide by 0?"}));
      else if (plan_.points.empty()) // the first point stands for the others
        if (const auto taken = plan_.bases[point.base].variants.check({settings[i]}); !taken)
          append(errors_, at_place(taken.error(), *sweep_.source, computed.key, at));
    }
    for (const configs::Setting& setting : settings)
      set(setting, point);
  }

  bool holds(const Point& point) {
    const Expected<NumberOf> number_of = plan_.numbers_at(point, constraints_follow_);
    if (!number_of)
      return true; // impossible: its row will say so
    for (const NamedExpression& constraint : sweep_.constraints) {
      const double value = value_of(sweep_, constraint.expression, *number_of);
      if (std::isnan(value))
        errors_.push_back(sweep_.source->error(
            constraint.name.place, constraint.name.length,
            fmt::format("neither true nor false at {}", text_of(point)),
            {"does it divide by 0? 'sms > 0 and 100 / sms > 2' is false where sms is 0"}));
      if (value == 0 || !errors_.empty())
        return false;
    }
    return true;
  }

  const SweepFile& sweep_;
  const configs::ConfigPath& path_;
  Plan plan_;
  bool constraints_follow_ = false; // are over keys that change with others
  Diagnostics errors_;
};

} // namespace

std::string text_of(const Point& point) {
  std::string text;
  for (const configs::Setting& setting : point.settings)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", setting.key, setting.value);
  return text;
}

std::optional<double> as_number(const std::string& text) {
  if (text == "true" || text == "false")
    return text == "true" ? 1 : 0;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

Expected<NumberOf> Plan::numbers_at(const Point& point, bool of_gpu) const {
  std::map<std::string, double> resolved;
  if (of_gpu) {
    const Expected<configs::Gpu> gpu = gpu_of(point);
    if (!gpu)
      return tl::unexpected(gpu.error());
    resolved = numbers_of(*gpu);
  }
  return [&point, of_gpu, resolved = std::move(resolved),
          &of_base = bases[point.base].numbers](const std::string& name) -> std::optional<double> {
    for (const configs::Setting& setting : point.settings)
      if (setting.key == name)
        return as_number(setting.value);
    const std::map<std::string, double>& numbers = of_gpu ? resolved : of_base;
    const auto known = numbers.find(name);
    return known == numbers.end() ? std::nullopt : std::optional(known->second);
  };
}

Expected<configs::Gpu> Plan::gpu_of(const Point& point) const {
  return bases[point.base].variants.with(point.settings);
}

Expected<Plan> make_plan(const SweepFile& sweep, const configs::ConfigPath& path) {
  return Planner(sweep, path).run();
}

std::map<std::string, double> numbers_of(const configs::Gpu& gpu) {
  std::map<std::string, double> numbers;
  for (const auto& [key, text] : configs::resolved_values(gpu))
    if (const std::optional<double> number = as_number(text))
      numbers.emplace(key, *number);
  return numbers;
}

Fingerprint hash_of(const configs::Gpu& gpu) {
  // Variants of one GPU share their table, which is long.
  thread_local std::pair<std::shared_ptr<const configs::IsaTable>, std::string> latest;
  if (latest.first != gpu.isa)
    latest = {gpu.isa, hash_of(*gpu.isa).text()};
  std::string text = latest.second;
  for (const auto& [key, value] : configs::resolved_values(gpu))
    text += fmt::format("{}={}\n", key, value);
  return fingerprint(text);
}

} // namespace kerncast::sweep
