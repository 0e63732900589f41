#include "stages.h"

#include <algorithm>

#include <fmt/format.h>

#include "counters.h"

namespace kerncast::app {
namespace {

// What the row's counters have, "" if nothing.
std::string measured_text(std::string_view quantity, const Facts& row) {
  const auto found = std::ranges::find(quantities(), quantity, &Quantity::name);
  const std::optional<double> value = found->measured(row);
  return value ? fmt::format("{}", *value) : std::string();
}

std::string else_measured(const std::string& given, std::string_view quantity, const Facts& row) {
  return given.empty() ? measured_text(quantity, row) : given;
}

} // namespace

std::string_view name(Stage stage) {
  constexpr std::string_view names[] = {"nothing", "registers", "hit_rates"};
  return names[static_cast<std::size_t>(stage)];
}

std::optional<PredictWords> words_at(Stage stage, const PredictWords& words, const Facts& row) {
  PredictWords at = words;
  at.registers = else_measured(words.registers, "registers", row);
  at.l2_hit = else_measured(words.l2_hit, "l2_hit", row);
  if (stage == Stage::hit_rates)
    return at.l1_hit.empty() && at.l2_hit.empty() ? std::nullopt : std::optional(std::move(at));
  at.l1_hit.clear();
  at.l2_hit.clear();
  if (stage == Stage::registers)
    return at.registers.empty() && at.spill_stores.empty() ? std::nullopt : std::optional(std::move(at));
  at.registers.clear();
  at.spill_stores.clear();
  return at;
}

bool give_the_same(const PredictWords& one, const PredictWords& other) {
  return one.registers == other.registers && one.spill_stores == other.spill_stores &&
         one.l1_hit == other.l1_hit && one.l2_hit == other.l2_hit;
}

} // namespace kerncast::app
