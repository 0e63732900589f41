#include "require.h"

#include <algorithm>
#include <set>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "csv/table.h"
#include "support/suggest.h"

namespace kerncast::app {
namespace {

struct StatisticRow {
  std::string_view name;
  std::optional<double> (*of)(const Comparison& one);
};

constexpr StatisticRow statistic_rows[] = {
    {"mape", [](const Comparison& c) { return std::optional(c.errors.mape); }},
    {"median", [](const Comparison& c) { return std::optional(c.errors.median); }},
    {"p90", [](const Comparison& c) { return std::optional(c.errors.p90); }},
    {"worst", [](const Comparison& c) { return std::optional(c.errors.worst); }},
    {"bias", [](const Comparison& c) { return std::optional(c.errors.bias); }},
    {"spearman", [](const Comparison& c) { return c.errors.spearman; }},
    {"kendall", [](const Comparison& c) { return c.errors.kendall; }},
    {"shape_mape", [](const Comparison& c) { return c.shape_mape; }},
    {"outside",
     [](const Comparison& c) {
       return c.outside ? std::optional(static_cast<double>(*c.outside)) : std::nullopt;
     }},
    {"coverage", [](const Comparison& c) { return c.coverage; }},
    {"interval_length", [](const Comparison& c) { return c.interval_length; }},
    {"rows", [](const Comparison& c) { return std::optional(static_cast<double>(c.errors.rows)); }},
};

const StatisticRow* find_statistic(std::string_view name) {
  const auto found = std::ranges::find(statistic_rows, name, &StatisticRow::name);
  return found == std::end(statistic_rows) ? nullptr : &*found;
}

tl::unexpected<Diagnostics> unknown_statistic(const std::string& text, const std::string& name) {
  std::vector<std::string_view> names;
  for (const StatisticRow& row : statistic_rows)
    names.push_back(row.name);
  const std::string near = nearest(name, names);
  return fail(fmt::format("--require '{}': unknown statistic '{}'", text, name),
              near.empty() ? fmt::format("statistics: {}", fmt::join(names, ", "))
                           : fmt::format("did you mean '{}'?", near));
}

bool names(const Subject& subject, const std::string& word) {
  return word == subject.suite || word == subject.kernel || word == subject.gpu || word == subject.model ||
         word == subject.quantity;
}

// The words of the subject that these pieces between dots spell, nothing if they do not: "000 eq. 1" has a
// dot of its own.
std::optional<std::vector<std::string>> spelled(std::span<const std::string> pieces, const Subject& subject) {
  if (pieces.empty())
    return std::vector<std::string>{};
  for (std::size_t n = 1; n <= pieces.size(); ++n) {
    const std::string word = fmt::format("{}", fmt::join(pieces.first(n), "."));
    if (!names(subject, word))
      continue;
    if (auto words = spelled(pieces.subspan(n), subject)) {
      words->push_back(word);
      return words;
    }
  }
  return std::nullopt;
}

bool is_meant(const Requirement& requirement, const Subject& subject) {
  const auto chooses = [&](const std::string& word) {
    return word == subject.model || word == subject.quantity;
  };
  const auto words = spelled(requirement.words, subject);
  return words && (subject.is_main || std::ranges::any_of(*words, chooses));
}

std::string subject_text(const Subject& subject) {
  std::vector<std::string> words;
  for (const std::string& word :
       {subject.suite, subject.kernel, subject.gpu, subject.model, subject.quantity})
    if (!word.empty())
      words.push_back(word);
  return fmt::format("{}", fmt::join(words, " "));
}

// "" if the comparison keeps the bound.
std::string breach(const Requirement& requirement, const Comparison& one) {
  const std::optional<double> value = find_statistic(requirement.statistic)->of(one);
  if (!value)
    return fmt::format("{}: there is no {}", subject_text(one.subject), requirement.statistic);
  if (requirement.at_most ? *value <= requirement.value : *value >= requirement.value)
    return {};
  return fmt::format("{}: {} is {:.4g}", subject_text(one.subject), requirement.statistic, *value);
}

tl::unexpected<Diagnostics> about_nothing(const Requirement& requirement, const Report& report) {
  std::set<std::string> words;
  for (const Comparison& one : report.comparisons)
    for (const std::string& word :
         {one.subject.suite, one.subject.kernel, one.subject.gpu, one.subject.model, one.subject.quantity})
      if (!word.empty())
        words.insert(word);
  return fail(fmt::format("--require '{}' is about nothing that was compared", requirement.text),
              fmt::format("words: {}", fmt::join(words, ", ")));
}

} // namespace

Expected<Requirement> parse_requirement(const std::string& text) {
  Requirement requirement;
  requirement.text = text;
  const std::size_t at = text.find_first_of("<>");
  const std::optional<double> value = at == std::string::npos || text.substr(at + 1, 1) != "="
                                          ? std::nullopt
                                          : csv::number(std::string_view(text).substr(at + 2));
  if (!value)
    return fail(fmt::format("--require '{}' is no bound", text),
                "write it like 'mape<=10' or 'spearman>=0.95'");
  requirement.at_most = text[at] == '<';
  requirement.value = *value;
  std::string key = text.substr(0, at);
  for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.')) {
    requirement.words.push_back(key.substr(0, dot));
    key.erase(0, dot + 1);
  }
  requirement.statistic = key;
  if (find_statistic(key) == nullptr)
    return unknown_statistic(text, key);
  return requirement;
}

Expected<std::vector<Verdict>> judge(const std::vector<Requirement>& requirements, const Report& report) {
  std::vector<Verdict> verdicts;
  for (const Requirement& requirement : requirements) {
    Verdict verdict{requirement.text, 0, {}};
    for (const Comparison& one : report.comparisons) {
      if (!is_meant(requirement, one.subject))
        continue;
      ++verdict.compared;
      if (std::string text = breach(requirement, one); !text.empty())
        verdict.broken.push_back(std::move(text));
    }
    if (verdict.compared == 0)
      return about_nothing(requirement, report);
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

} // namespace kerncast::app
