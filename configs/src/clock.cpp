#include "clock.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gpu_keys.h"

namespace kerncast::configs {
namespace {

struct Clock {
  const char* key;
  const char* name; // as `clock` chooses it
  ClockChoice choice;
  double Gpu::*mhz;
};

constexpr Clock clock_choices[] = {{"base_clock_mhz", "base", ClockChoice::base, &Gpu::base_clock_mhz},
                                   {"boost_clock_mhz", "boost", ClockChoice::boost, &Gpu::boost_clock_mhz}};

std::string stated_at(const Entry& entry) {
  return fmt::format("{} = {} is stated at {}", entry.key, to_text(entry.value), describe(entry.origin));
}

// `word`: says why there is no number, null if nothing does.
Diagnostic no_such_clock(const Entry& choice, const Clock& clock, const Entry* word) {
  std::vector<std::string> notes;
  if (word != nullptr)
    notes.push_back(stated_at(*word));
  notes.push_back(fmt::format("state {}, or state clock_mhz instead of clock", clock.key));
  return error_at_value(choice.origin,
                        fmt::format("clock chooses {}, which is {}", clock.key,
                                    word != nullptr ? to_text(word->value) : "not stated"),
                        std::move(notes));
}

// Both stand in one file: a nearer one would have replaced the other.
Diagnostic two_clocks(const Entry& choice, const Entry& stated, const Clock& clock, double mhz) {
  const bool is_choice_last = choice.origin.key.place.line > stated.origin.key.place.line;
  return error_at_value(
      is_choice_last ? choice.origin : stated.origin,
      fmt::format("clock chooses {} ({}), but clock_mhz is {}", clock.key, mhz, to_text(stated.value)),
      {stated_at(is_choice_last ? stated : choice), "leave one of the two out"});
}

void take_chosen(Gpu& gpu, const Clock& clock, const Statements& statements, Diagnostics& errors) {
  const Entry& choice = *statements.find("clock");
  gpu.clock_mhz = gpu.*clock.mhz;
  const Entry* entry = statements.find(clock.key);
  if (entry != nullptr)
    gpu.origins["clock_mhz"] = {describe(entry->origin), entry->basis.evidence, entry->basis.source,
                                entry->basis.error};
  if (gpu.clock_mhz <= 0)
    errors.push_back(no_such_clock(choice, clock, entry));
  else if (const Entry* stated = statements.find("clock_mhz");
           stated != nullptr && std::get<double>(stated->value) != gpu.clock_mhz)
    errors.push_back(two_clocks(choice, *stated, clock, gpu.clock_mhz));
}

// What a clock that was not chosen leaves without effect: a study says so, a file is mistaken.
void check_unchosen(Gpu& gpu, const Clock& clock, const Statements& statements, Diagnostics& errors) {
  const Entry* entry = statements.find(clock.key);
  const Entry* stated = statements.find("clock_mhz");
  if (entry == nullptr)
    return;
  if (statements.is_set(clock.key))
    gpu.assumptions.push_back(fmt::format("{}: --set {} changes nothing: no prediction depends on it while "
                                          "clock_mhz states the clock; set clock, too",
                                          gpu.name, clock.key));
  else if (gpu.clock == ClockChoice::stated && stated != nullptr && entry->layer > stated->layer &&
           gpu.*clock.mhz > 0)
    errors.push_back(error_at_value(
        entry->origin,
        fmt::format("{} is {}, but the clock is the farther clock_mhz ({})", clock.key, gpu.*clock.mhz,
                    to_text(stated->value)),
        {stated_at(*stated), fmt::format("state clock = \"{}\" or clock_mhz, too", clock.name)}));
}

} // namespace

void choose_clock(Gpu& gpu, const Statements& statements, const std::string& file, Diagnostics& errors) {
  for (const Clock& clock : clock_choices)
    if (gpu.clock == clock.choice)
      take_chosen(gpu, clock, statements, errors);
    else
      check_unchosen(gpu, clock, statements, errors);
  if (gpu.clock == ClockChoice::stated && statements.find("clock_mhz") == nullptr)
    errors.push_back(missing_key(file, "clock_mhz", find_key("clock_mhz")->facts().meaning));
}

} // namespace kerncast::configs
