// The key table as text: for the manual and for messages.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "configs/loader.h"
#include "gpu_keys.h"

namespace kerncast::configs {
namespace {

std::string numbers_of(const KeyFacts& facts) {
  return fmt::format("{} to {}", to_text(Value(facts.low)), to_text(Value(facts.high)));
}

// The words that a number may be stated as, after a comma each.
std::string words_after_commas(const Absent& absent) {
  std::string words;
  for (const std::string_view word : {absent.unstated, absent.stated})
    if (!word.empty())
      words += fmt::format(", \"{}\"", word);
  return words;
}

std::string values_of(const KeyFacts& facts) {
  switch (facts.kind) {
  case KeyKind::boolean:
    return "true, false";
  case KeyKind::text:
    return facts.choices.empty() ? "text" : fmt::format("{}", fmt::join(facts.choices, ", "));
  case KeyKind::whole:
    return fmt::format("{}, whole{}{}", numbers_of(facts), facts.scale == 1 ? "" : " bytes",
                       words_after_commas(facts.absent));
  case KeyKind::number:
    break;
  }
  return numbers_of(facts) + words_after_commas(facts.absent);
}

std::string default_of(const KeyFacts& facts, const Value& unstated) {
  switch (facts.presence) {
  case Presence::required:
    return "required";
  case Presence::derived:
    return "follows from others";
  case Presence::optional:
    break;
  }
  return shown_value(facts, unstated, false);
}

// An optional key's default is the value of an object of which nothing is stated.
template <class Object>
void add_descriptions(std::span<const Key<Object>> rows, const std::string& prefix,
                      std::vector<KeyDescription>& keys) {
  const Object unstated{};
  for (const Key<Object>& row : rows) {
    const KeyFacts& facts = row.facts;
    keys.push_back({prefix + std::string(facts.name), std::string(facts.unit), std::string(facts.meaning),
                    values_of(facts), default_of(facts, row.get(unstated))});
  }
}

} // namespace

std::vector<KeyDescription> describe_keys() {
  std::vector<KeyDescription> keys;
  add_descriptions(gpu_keys(), "", keys);
  add_descriptions(unit_keys(), "units.NAME.", keys);
  return keys;
}

} // namespace kerncast::configs
