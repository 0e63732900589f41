#include "checker.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace kerncast::configs {

void Checker::require(bool holds, std::vector<std::string> keys, const std::string& wrong) {
  if (holds)
    return;
  const auto layer = [this](const std::string& key) {
    const Entry* entry = statements_.find(key);
    return entry == nullptr ? -1 : static_cast<std::ptrdiff_t>(entry->layer);
  };
  std::stable_sort(keys.begin(), keys.end(),
                   [&](const std::string& a, const std::string& b) { return layer(a) > layer(b); });
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<std::string> notes;
  for (const std::string& key : keys)
    if (const Entry* entry = statements_.find(key); entry == nullptr)
      notes.push_back(fmt::format("{} is not stated and has its default", key));
    else if (&key != &keys.front())
      notes.push_back(
          fmt::format("{} = {} is stated at {}", key, to_text(entry->value), describe(entry->origin)));
  const Entry* at = statements_.find(keys.front());
  errors_.push_back(error_at_value(at != nullptr ? at->origin : Origin{}, wrong, std::move(notes)));
}

void Checker::require_of_files(bool holds, std::vector<std::string> keys,
                               const std::vector<std::string>& further, const std::string& wrong) {
  if (holds)
    return;
  const auto is_set = [this](const std::string& key) { return statements_.is_set(key); };
  if (std::any_of(keys.begin(), keys.end(), is_set) || std::any_of(further.begin(), further.end(), is_set))
    gpu_.assumptions.push_back(fmt::format("{}: {}", gpu_.name, wrong));
  else
    require(holds, std::move(keys), wrong);
}

void Checker::at_most(const std::string& key, double value, const std::string& other, double bound) {
  require(value <= bound, {key, other},
          fmt::format("{} is {}, more than {} allows ({})", key, value, other, bound));
}

void Checker::power_of_two(const std::string& key, std::uint64_t value) {
  require(std::has_single_bit(value), {key}, fmt::format("{} is {}, not a power of two", key, value));
}

void Checker::multiple(const std::string& key, double value, const std::string& other, double part) {
  require(part > 0 && std::fmod(value, part) == 0, {key, other},
          fmt::format("{} is {}, not a multiple of {} ({})", key, value, other, part));
}

void Checker::whole_parts(const std::string& key, std::uint64_t bytes, const std::string& other, double part,
                          std::string_view what) {
  const Entry* at = statements_.find(key);
  require(part > 0 && std::fmod(static_cast<double>(bytes), part) == 0, {key, other},
          fmt::format("{} is {}, {} bytes, which are no whole number of {} of {} bytes", key,
                      at != nullptr ? to_text(at->value) : "derived", bytes, what, part));
}

} // namespace kerncast::configs
