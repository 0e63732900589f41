#include "sweep/names.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "support/suggest.h"

namespace kerncast::sweep {
namespace {

using DerivedByName = std::map<std::string_view, const NamedExpression*>;

DerivedByName by_name(const SweepFile& sweep) {
  DerivedByName derived;
  for (const NamedExpression& one : sweep.derived)
    derived.emplace(one.name.text, &one);
  return derived;
}

const NamedExpression* find(const DerivedByName& derived, std::string_view name) {
  const auto known = derived.find(name);
  return known == derived.end() ? nullptr : known->second;
}

class NameChecker {
public:
  NameChecker(const SweepFile& sweep, const Plan& plan, const std::set<std::string>& results)
      : sweep_(sweep), plan_(plan), results_(results), derived_(by_name(sweep)) {}

  Expected<void> run() {
    for (const NamedExpression& derived : sweep_.derived) {
      check_own_name(derived.name);
      check(derived.expression, true, false);
    }
    check_cycles();
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
    const bool is_result = results_.contains(name.text);
    if (is_key(name.text) || is_result)
      errors_.push_back(sweep_.source->error(
          name.place, name.length,
          fmt::format("'{}' is a {}", name.text, is_result ? "result" : "key of the GPU description"),
          {"give the derived value another name"}));
  }

  void check(const Expression& expression, bool derived_allowed, bool results_allowed) {
    for (const NameUse& use : expression.names) {
      if (is_key(use.name) || (derived_allowed && derived_.contains(use.name)) ||
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

  // Those that use it are `open` while one is looked at: coming back to one of them closes a cycle.
  void check_cycles() {
    std::set<const NamedExpression*> done;
    std::vector<const NamedExpression*> open;
    for (const NamedExpression& derived : sweep_.derived)
      check_cycles(derived, open, done);
  }

  void check_cycles(const NamedExpression& derived, std::vector<const NamedExpression*>& open,
                    std::set<const NamedExpression*>& done) {
    if (const auto again = std::ranges::find(open, &derived); again != open.end()) {
      for (auto on_cycle = again; on_cycle != open.end(); ++on_cycle)
        if (done.insert(*on_cycle).second)
          errors_.push_back(
              sweep_.source->error((*on_cycle)->name.place, (*on_cycle)->name.length,
                                   fmt::format("'{}' depends on itself", (*on_cycle)->name.text),
                                   {"write it over keys of the GPU"}));
      return;
    }
    if (done.contains(&derived))
      return;
    open.push_back(&derived);
    for (const NameUse& use : derived.expression.names)
      if (const NamedExpression* used = find(derived_, use.name))
        check_cycles(*used, open, done);
    open.pop_back();
    done.insert(&derived);
  }

  const SweepFile& sweep_;
  const Plan& plan_;
  const std::set<std::string>& results_;
  DerivedByName derived_;
  Diagnostics errors_;
};

} // namespace

Expected<void> check_names(const SweepFile& sweep, const Plan& plan, const std::set<std::string>& results) {
  return NameChecker(sweep, plan, results).run();
}

std::set<std::string> keys_used(const SweepFile& sweep, const std::vector<const Expression*>& expressions) {
  const DerivedByName derived = by_name(sweep);
  std::set<std::string> keys;
  std::set<std::string> seen;
  std::vector<const Expression*> open = expressions;
  while (!open.empty()) {
    const Expression* next = open.back();
    open.pop_back();
    for (const NameUse& use : next->names) {
      if (!seen.insert(use.name).second)
        continue;
      if (const NamedExpression* used = find(derived, use.name))
        open.push_back(&used->expression);
      else
        keys.insert(use.name);
    }
  }
  return keys;
}

namespace {

// Derived values are computed once each.
class Evaluator {
public:
  Evaluator(const SweepFile& sweep, const NumberOf& number_of)
      : derived_(by_name(sweep)), number_of_(number_of) {}

  double value_of(const Expression& expression) {
    std::vector<double> values;
    for (const NameUse& use : expression.names)
      values.push_back(value_of(use.name));
    return evaluate(expression, values);
  }

private:
  double value_of(const std::string& name) {
    const NamedExpression* derived = find(derived_, name);
    if (derived == nullptr)
      return number_of_(name).value_or(std::numeric_limits<double>::quiet_NaN());
    const auto known = known_.find(derived);
    return known != known_.end() ? known->second
                                 : known_.emplace(derived, value_of(derived->expression)).first->second;
  }

  DerivedByName derived_;
  const NumberOf& number_of_;
  std::map<const NamedExpression*, double> known_;
};

} // namespace

double value_of(const SweepFile& sweep, const Expression& expression, const NumberOf& number_of) {
  return Evaluator(sweep, number_of).value_of(expression); // there are no cycles: check_names
}

} // namespace kerncast::sweep
