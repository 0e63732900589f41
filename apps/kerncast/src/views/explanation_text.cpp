#include "explanation_text.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "table.h"

namespace kerncast::app {
namespace {

using engine::LineCharge;
using engine::StateCycles;

// Lines shown of each kind; --json has all.
constexpr std::size_t lines_shown = 12;
constexpr double smallest_gain_shown = 0.0005;

double sum(const StateCycles& cycles) { return std::accumulate(cycles.begin(), cycles.end(), 0.0); }

std::string percent(double part, double whole) {
  return fmt::format("{:.1f} %", whole > 0 ? 100 * part / whole : 0);
}

std::string_view state_name(std::size_t state) { return engine::name(static_cast<engine::WarpState>(state)); }

std::string states_table(const StateCycles& cycles) {
  std::vector<std::size_t> order(cycles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return cycles[a] > cycles[b]; });
  Table table({{"share", Align::right}, {"warp-cycles", Align::right}, {"state", Align::left}});
  for (const std::size_t state : order)
    if (cycles[state] > 0)
      table.add({percent(cycles[state], sum(cycles)), fmt::format("{:.0f}", cycles[state]),
                 std::string(state_name(state))});
  return table.text();
}

std::string lines_table(std::vector<LineCharge> lines, const std::string& title, double all) {
  std::stable_sort(lines.begin(), lines.end(), [](const LineCharge& a, const LineCharge& b) {
    return sum(a.state_cycles) > sum(b.state_cycles);
  });
  const std::size_t shown = std::min(lines.size(), lines_shown);
  Table table({{"share", Align::right},
               {"warp instructions", Align::right},
               {title, Align::right},
               {"most of it", Align::left},
               {"operations", Align::left}});
  for (std::size_t i = 0; i < shown; ++i) {
    const StateCycles& cycles = lines[i].state_cycles;
    const auto most = std::max_element(cycles.begin(), cycles.end()) - cycles.begin();
    table.add({percent(sum(cycles), all), fmt::format("{:.0f}", lines[i].issued),
               lines[i].line == 0 ? "-" : fmt::format("{}", lines[i].line),
               std::string(state_name(static_cast<std::size_t>(most))), lines[i].operations});
  }
  std::string text = table.text();
  if (shown < lines.size())
    text += fmt::format("({} more lines with smaller shares)\n", lines.size() - shown);
  return text;
}

// Only of kernels that were compiled with line information.
bool has_source_lines(const std::vector<LineCharge>& lines) {
  return !lines.empty() && lines.back().line != 0;
}

std::string what_if_table(const std::vector<engine::WhatIf>& changes) {
  if (changes.empty())
    return {};
  Table table({{"gain", Align::right}, {"cycles", Align::right}, {"what if", Align::left}});
  std::size_t without_effect = 0;
  for (const engine::WhatIf& one : changes) {
    if (std::abs(one.gain) < smallest_gain_shown) {
      ++without_effect;
      continue;
    }
    table.add({fmt::format("{:.1f} %", 100 * one.gain), fmt::format("{:.0f}", one.cycles), one.change});
  }
  return table.text() + fmt::format("({} more changes gain nothing)\n", without_effect);
}

std::string busy_text(const std::vector<engine::Utilisation>& utilisations) {
  std::string text;
  for (const engine::Utilisation& one : utilisations)
    if (one.fraction > 0)
      text += fmt::format("{}{} {:.1f} %", text.empty() ? "busy: " : ", ", one.resource, 100 * one.fraction);
  return text + "\n";
}

// "latency (97.0 % of its time; dram_bandwidth 3.0 %)" of launches that differ.
std::string bound_text(const KernelRow& row) {
  if (row.bounds.size() < 2)
    return row.mean.bound;
  std::string text = fmt::format("{} ({} of its time", row.mean.bound, percent(row.bounds.front().share, 1));
  for (std::size_t i = 1; i < row.bounds.size(); ++i)
    text += fmt::format("; {} {}", row.bounds[i].bound, percent(row.bounds[i].share, 1));
  return text + ")";
}

} // namespace

std::string explanation_text(const KernelRow& row) {
  if (!row.mean.explanation)
    return {};
  const engine::Explanation& e = *row.mean.explanation;
  const double all = sum(e.state_cycles);
  std::string text = fmt::format("\n{}: bound by {}: {}\n", row.mean.kernel, bound_text(row), e.because);
  text += fmt::format("achieved occupancy {:.1f} of {} resident warps per SM\n", e.achieved_warps_per_sm,
                      row.mean.occupancy.warps_per_sm);
  text += busy_text(e.utilisations);
  text += states_table(e.state_cycles);
  text += lines_table(e.ptx_lines, "PTX line", all);
  if (has_source_lines(e.source_lines))
    text += lines_table(e.source_lines, "source line", all);
  return text + what_if_table(e.what_if);
}

} // namespace kerncast::app
