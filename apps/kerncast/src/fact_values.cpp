#include "fact_values.h"

#include <algorithm>

#include <fmt/format.h>

#include "application/read.h"
#include "number_text.h"

namespace kerncast::app {
namespace {

std::optional<double> parse_probability(std::string_view text) {
  const std::optional<double> value = parse_number<double>(text);
  return value && *value >= 0 && *value <= 1 ? value : std::nullopt;
}

std::optional<std::uint64_t> parse_trips(std::string_view text) {
  const std::optional<std::uint64_t> value = parse_number<std::uint64_t>(text);
  return value && *value <= application::max_loop_trips ? value : std::nullopt;
}

std::optional<tasklist::AddressFact> parse_spread(std::string_view text) {
  constexpr std::string_view stride = "stride:";
  if (const auto spread = tasklist::find_spread(text))
    return tasklist::AddressFact{*spread, 0};
  const std::optional<std::int64_t> bytes =
      text.starts_with(stride) ? parse_number<std::int64_t>(text.substr(stride.size())) : std::nullopt;
  if (!bytes || *bytes > application::max_stride_bytes || *bytes < -application::max_stride_bytes)
    return std::nullopt;
  return tasklist::AddressFact{tasklist::AddressFact::Spread::strided, *bytes};
}

constexpr std::string_view note_on_lines =
    "lines are those of the PTX, as the output's assumptions name them";

// KEY=VALUE, each key once.
template <class T>
void read_facts(std::string_view option, std::string_view wanted, const std::vector<std::string>& texts,
                std::optional<T> (*parse_value)(std::string_view), OptionValues& values,
                std::map<std::string, T>& into, std::string_view note = note_on_lines) {
  for (const std::string& text : texts) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string key = text.substr(0, equals);
    const auto value =
        equals < text.size() ? parse_value(std::string_view(text).substr(equals + 1)) : std::nullopt;
    if (key.empty() || !value)
      values.error(fmt::format("{} {} must be {}", option, text, wanted), std::string(note));
    else if (!into.emplace(key, *value).second)
      values.error(fmt::format("{} names {} twice", option, key), "give one value");
  }
}

} // namespace

tasklist::ControlFacts parse_facts(const FactWords& words, OptionValues& values) {
  tasklist::ControlFacts facts;
  read_facts("--branch", "LINE=P with a probability from 0 to 1", words.branches, parse_probability, values,
             facts.branch_taken);
  read_facts("--loop", "LINE=N with a number of iterations", words.loops, parse_trips, values,
             facts.loop_trips);
  read_facts("--addresses", "LINE=scattered, coalesced, broadcast or stride:BYTES", words.addresses,
             parse_spread, values, facts.addresses);
  return facts;
}

std::map<std::uint32_t, tasklist::AddressFact>
parse_buffer_facts(const std::vector<std::string>& words, const std::vector<application::Buffer>& buffers,
                   OptionValues& values) {
  constexpr std::string_view option = "--buffer-addresses";
  constexpr std::string_view note = "arguments count from 1; a buffer in a structure is named as 1.2";
  std::map<std::string, tasklist::AddressFact> by_name;
  read_facts(option, "ARGUMENT=scattered, coalesced, broadcast or stride:BYTES", words, parse_spread, values,
             by_name, note);
  std::map<std::uint32_t, tasklist::AddressFact> facts;
  for (const auto& [name, fact] : by_name) {
    const auto buffer = std::find_if(buffers.begin(), buffers.end(),
                                     [&](const application::Buffer& b) { return b.name == name; });
    if (buffer == buffers.end())
      values.error(fmt::format("{} {}: that argument is no buffer", option, name), std::string(note));
    else
      facts[static_cast<std::uint32_t>(buffer - buffers.begin())] = fact;
  }
  return facts;
}

} // namespace kerncast::app
