#include "sweep/names.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "support/suggest.h"

namespace kerncast::sweep {
namespace {

const NamedExpression* derived_named(const SweepFile& sweep, std::string_view name) {
  for (const NamedExpression& derived : sweep.derived)
    if (derived.name.text == name)
      return &derived;
  return nullptr;
}

class NameChecker {
public:
  NameChecker(const SweepFile& sweep, const Plan& plan, const std::set<std::string>& results)
      : sweep_(sweep), plan_(plan), results_(results) {}

  Expected<void> run() {
    for (const NamedExpression& derived : sweep_.derived) {
      check_own_name(derived.name);
      check(derived.expression, true, false);
      check_cycle(derived);
    }
    for (const NamedExpression& constraint : sweep_.constraints)
      check(constraint.expression, true, false);
    for (const AxisKey& computed : sweep_.computed)
      check(*computed.expression, false, false);
    for (const Objective& objective : sweep_.objectives)
      check(objective.expression, true, true);
    if (!errors_.empty())
      return tl::unexpected(std::move(errors_));
    return {};
  }

private:
  bool is_key(const std::string& name) const {
    return std::all_of(plan_.bases.begin(), plan_.bases.end(),
                       [&](const Base& base) { return base.numbers.contains(name); });
  }

  void check_own_name(const Text& name) {
    if (is_key(name.text))
      errors_.push_back(sweep_.source->error(name.place, name.length,
                                             fmt::format("'{}' is a key of the GPU description", name.text),
                                             {"give the derived value another name"}));
  }

  void check(const Expression& expression, bool derived_allowed, bool results_allowed) {
    for (const NameUse& use : expression.names) {
      if (is_key(use.name) || (derived_allowed && derived_named(sweep_, use.name) != nullptr) ||
          (results_allowed && results_.contains(use.name)))
        continue;
      errors_.push_back(sweep_.source->error(use.place, static_cast<std::uint32_t>(use.name.size()),
                                             fmt::format("unknown name '{}'", use.name),
                                             {note_for(use.name, derived_allowed, results_allowed)}));
    }
  }

  std::string note_for(const std::string& name, bool derived_allowed, bool results_allowed) const {
    std::vector<std::string> known;
    for (const auto& [key, number] : plan_.bases.front().numbers)
      known.push_back(key);
    if (derived_allowed)
      for (const NamedExpression& derived : sweep_.derived)
        known.push_back(derived.name.text);
    if (results_allowed)
      known.insert(known.end(), results_.begin(), results_.end());
    if (const std::string near = nearest(name, known); !near.empty())
      return fmt::format("did you mean '{}'?", near);
    return results_allowed
               ? "names are keys of the GPU with numbers, those of [derived], and results such as "
                 "total_time_us"
               : "names are keys of the GPU that every base has as numbers, and those of [derived]";
  }

  void check_cycle(const NamedExpression& from) {
    std::set<std::string> seen;
    std::vector<const NamedExpression*> open = {&from};
    while (!open.empty()) {
      const NamedExpression* next = open.back();
      open.pop_back();
      for (const NameUse& use : next->expression.names) {
        const NamedExpression* used = derived_named(sweep_, use.name);
        if (used == &from) {
          errors_.push_back(sweep_.source->error(from.name.place, from.name.length,
                                                 fmt::format("'{}' depends on itself", from.name.text),
                                                 {"write it over keys of the GPU"}));
          return;
        }
        if (used != nullptr && seen.insert(use.name).second)
          open.push_back(used);
      }
    }
  }

  const SweepFile& sweep_;
  const Plan& plan_;
  const std::set<std::string>& results_;
  Diagnostics errors_;
};

} // namespace

Expected<void> check_names(const SweepFile& sweep, const Plan& plan, const std::set<std::string>& results) {
  return NameChecker(sweep, plan, results).run();
}

std::set<std::string> keys_used(const SweepFile& sweep, const std::vector<const Expression*>& expressions) {
  std::set<std::string> keys;
  std::set<std::string> seen;
  std::vector<const Expression*> open = expressions;
  while (!open.empty()) {
    const Expression* next = open.back();
    open.pop_back();
    for (const NameUse& use : next->names) {
      if (!seen.insert(use.name).second)
        continue;
      if (const NamedExpression* derived = derived_named(sweep, use.name))
        open.push_back(&derived->expression);
      else
        keys.insert(use.name);
    }
  }
  return keys;
}

double value_of(const SweepFile& sweep, const Expression& expression, const NumberOf& number_of) {
  std::vector<double> values;
  for (const NameUse& use : expression.names) {
    if (const NamedExpression* derived = derived_named(sweep, use.name))
      values.push_back(value_of(sweep, derived->expression, number_of)); // no cycles: check_names
    else
      values.push_back(number_of(use.name).value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return evaluate(expression, values);
}

} // namespace kerncast::sweep
