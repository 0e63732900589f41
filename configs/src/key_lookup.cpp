// Finding rows of the key table by name and checking values against them.
#include "gpu_keys.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "names.h"
#include "support/suggest.h"

namespace kerncast::configs {
namespace {

constexpr std::string_view unit_prefix = "units.";

template <class Object>
const Key<Object>* row_named(std::span<const Key<Object>> rows, std::string_view name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.facts.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

std::vector<std::string> all_names(std::string_view unit_name) {
  std::vector<std::string> names = {"inherits"};
  for (const auto& row : gpu_keys())
    names.emplace_back(row.facts.name);
  for (const auto& row : unit_keys())
    names.push_back(fmt::format("{}{}.{}", unit_prefix, unit_name, row.facts.name));
  return names;
}

// The unit's name in "units.NAME.something", so that suggestions keep it.
std::string_view unit_name_in(std::string_view dotted) {
  if (!dotted.starts_with(unit_prefix))
    return "NAME";
  dotted.remove_prefix(unit_prefix.size());
  return dotted.substr(0, dotted.find('.'));
}

// "\"none\" or \"not known\"".
std::string words_of(const Absent& absent) {
  if (absent.stated.empty())
    return fmt::format("\"{}\"", absent.unstated);
  return fmt::format("\"{}\" or \"{}\"", absent.stated, absent.unstated);
}

std::optional<std::string> check_number(const KeyFacts& facts, double value) {
  if (!std::isfinite(value))
    return fmt::format("must be a finite number, is {}", value);
  if (value == 0 && facts.low > 0 && !facts.absent.unstated.empty())
    return fmt::format("must be at least {} or {}, is 0", facts.low, words_of(facts.absent));
  if (value < facts.low)
    return fmt::format("must be at least {}, is {}", facts.low, value);
  if (value > facts.high)
    return fmt::format("must be at most {}, is {}", facts.high, value);
  if (facts.kind == KeyKind::whole && std::trunc(value * facts.scale) != value * facts.scale)
    return fmt::format("must be a whole number{}, is {}", facts.scale == 1 ? "" : " of bytes", value);
  return std::nullopt;
}

std::optional<std::string> check_text(const KeyFacts& facts, const std::string& value) {
  const auto& choices = facts.choices;
  if (value.empty() && (facts.presence == Presence::required || !choices.empty()))
    return "must not be empty";
  if (!choices.empty() && std::find(choices.begin(), choices.end(), value) == choices.end())
    return fmt::format("must be one of {}, is '{}'", fmt::join(choices, ", "), printable(value));
  if (std::any_of(value.begin(), value.end(), is_control))
    return fmt::format("must have no control characters, is '{}'", printable(value));
  return std::nullopt;
}

std::string_view wanted(KeyKind kind) {
  switch (kind) {
  case KeyKind::whole:
  case KeyKind::number:
    return "a number";
  case KeyKind::boolean:
    return "true or false";
  case KeyKind::text:
    return "a text";
  }
  return "";
}

} // namespace

std::optional<KeyMatch> find_key(std::string_view dotted) {
  if (const auto* row = row_named(gpu_keys(), dotted))
    return KeyMatch{row, nullptr, {}};
  if (!dotted.starts_with(unit_prefix))
    return std::nullopt;
  const std::string_view name = unit_name_in(dotted);
  const std::size_t last = unit_prefix.size() + name.size();
  if (!is_name(name) || last >= dotted.size())
    return std::nullopt;
  const auto* row = row_named(unit_keys(), dotted.substr(last + 1));
  if (row == nullptr)
    return std::nullopt;
  return KeyMatch{nullptr, row, std::string(name)};
}

std::vector<std::string> notes_for_unknown_key(std::string_view dotted) {
  const std::vector<std::string> names = all_names(unit_name_in(dotted));
  std::vector<std::string_view> inside;
  for (const std::string& name : names)
    if (name.starts_with(std::string(dotted) + "."))
      inside.push_back(name);
  if (dotted.starts_with(unit_prefix) && !is_name(unit_name_in(dotted)))
    return {"a unit's name has letters, digits, '-' and '_' only"};
  if (dotted == "inherits")
    return {"a file states what it inherits; name such a file instead of the GPU"};
  if (!inside.empty())
    return {fmt::format("its keys are {}", fmt::join(inside, ", "))};
  if (const std::string near = nearest(dotted, names); !near.empty())
    return {fmt::format("did you mean '{}'?", near)};
  return {"'kerncast gpus show unit' prints every key"};
}

Value set_value(const KeyFacts& facts, std::string_view text) {
  if (facts.kind == KeyKind::boolean && (text == "true" || text == "false"))
    return text == "true";
  double number = 0;
  const char* const end = text.data() + text.size();
  if (facts.kind == KeyKind::whole || facts.kind == KeyKind::number)
    if (const auto read = std::from_chars(text.data(), end, number);
        read.ec == std::errc() && read.ptr == end)
      return number;
  return std::string(text);
}

bool is_word(const KeyFacts& facts, const Value& value) {
  const std::string* word = std::get_if<std::string>(&value);
  return word != nullptr && !facts.absent.unstated.empty() &&
         (*word == facts.absent.unstated || *word == facts.absent.stated);
}

bool withdraws(const KeyFacts& facts, const Value& value) {
  return is_word(facts, value) && !facts.absent.stated.empty() &&
         std::get<std::string>(value) == facts.absent.unstated;
}

std::string shown_value(const KeyFacts& facts, const Value& value, bool stated) {
  const double* number = std::get_if<double>(&value);
  if (number == nullptr || *number != 0 || facts.absent.unstated.empty())
    return to_text(value);
  return std::string(stated && !facts.absent.stated.empty() ? facts.absent.stated : facts.absent.unstated);
}

std::optional<std::string> check_value(const KeyFacts& facts, const Value& value) {
  const bool is_number = facts.kind == KeyKind::whole || facts.kind == KeyKind::number;
  if (const double* n = std::get_if<double>(&value); n != nullptr && is_number)
    return check_number(facts, *n);
  if (const std::string* s = std::get_if<std::string>(&value); s != nullptr && facts.kind == KeyKind::text)
    return check_text(facts, *s);
  if (std::holds_alternative<bool>(value) && facts.kind == KeyKind::boolean)
    return std::nullopt;
  if (is_word(facts, value))
    return std::nullopt;
  if (!facts.absent.unstated.empty())
    return fmt::format("must be {} or {}, is {}", wanted(facts.kind), words_of(facts.absent), kind_of(value));
  return fmt::format("must be {}, is {}", wanted(facts.kind), kind_of(value));
}

} // namespace kerncast::configs
