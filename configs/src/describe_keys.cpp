// The key table as text: for the manual and for messages.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "configs/loader.h"
#include "gpu_keys.h"

namespace kerncast::configs {
namespace {

std::string values_of(const KeyFacts& facts) {
  switch (facts.kind) {
  case KeyKind::boolean:
    return "true, false";
  case KeyKind::text:
    return facts.choices.empty() ? "text" : fmt::format("{}", fmt::join(facts.choices, ", "));
  case KeyKind::whole:
    return fmt::format("{} to {}, whole{}", to_text(Value(facts.low)), to_text(Value(facts.high)),
                       facts.scale == 1 ? "" : " bytes");
  case KeyKind::number:
    break;
  }
  return fmt::format("{} to {}", to_text(Value(facts.low)), to_text(Value(facts.high)));
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
  return to_text(unstated);
}

// An optional key's default is the value of an object of which nothing is stated.
template <class Object>
void add_descriptions(std::span<const Key<Object>> rows, const std::string& prefix,
                      std::vector<KeyDescription>& keys) {
  const Object unstated{};
  for (const Key<Object>& row : rows) {
    const KeyFacts& facts = row.facts;
    keys.push_back({prefix + std::string(facts.name), std::string(facts.unit), std::string(facts.meaning),
                    values_of(facts), default_of(facts, row.get(unstated)), facts.modelled});
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
