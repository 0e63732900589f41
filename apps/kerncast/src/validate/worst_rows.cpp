#include "worst_rows.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kerncast::app {
namespace {

using Config = std::vector<std::pair<std::string, std::string>>;

// The members of the row's config in the order of the table, else its launch.
Config config_of(const MeasuredRow& row) {
  Config config;
  const auto text = row.facts.find("config");
  if (text != row.facts.end() && !text->second.empty()) {
    const auto object = nlohmann::ordered_json::parse(text->second);
    for (const auto& [key, value] : object.items())
      config.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  if (config.empty())
    for (const char* name : {"grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z"})
      config.emplace_back(name, row.facts.at(name));
  return config;
}

// Members that are not the same in all rows: these distinguish them.
std::set<std::string> varied_members(const KernelRows& kernel) {
  std::map<std::string, std::set<std::string>> values;
  for (const MeasuredRow* row : kernel.rows)
    for (const auto& [key, value] : config_of(*row))
      values[key].insert(value);
  std::set<std::string> varied;
  for (const auto& [key, different] : values)
    if (different.size() > 1)
      varied.insert(key);
  return varied;
}

std::optional<ChainError> chain_error(const Quantity& quantity, const MeasuredRow& row) {
  const std::optional<double> measured = quantity.measured(row.facts);
  if (!measured)
    return {};
  const statistics::Pair pair{*measured, quantity.predicted(*row.predicted)};
  ChainError error{std::string(quantity.name), quantity.scale, pair.measured, pair.predicted, {}};
  if (statistics::why_refused(pair, quantity.scale).empty())
    error.error = statistics::error_of(pair, quantity.scale);
  return error;
}

// Where 0 was measured, anything else parts.
bool parts(const ChainError& error, double target) {
  return error.error ? std::fabs(*error.error) > target : error.measured != error.predicted;
}

WorstRow explained(const MeasuredRow& row) {
  WorstRow out;
  out.row = row.number + 1;
  out.measured = *main_quantity().measured(row.facts);
  out.predicted = main_quantity().predicted(*row.predicted);
  out.error = statistics::error_of({out.measured, out.predicted}, main_quantity().scale);
  out.bound = row.predicted->prediction.bound;
  bool is_judged = false;
  for (const Quantity& quantity : quantities()) {
    std::optional<ChainError> error;
    if (quantity.role == Role::chain)
      error = chain_error(quantity, row);
    if (!error)
      continue;
    out.chain.push_back(*error);
    if (quantity.target == no_target || (quantity.name == "registers" && row.predicted->registers_given))
      continue;
    is_judged = true;
    if (!out.parts_at && parts(*error, quantity.target))
      out.parts_at = quantity.name;
  }
  if (!out.parts_at && is_judged)
    out.parts_at = "timing";
  return out;
}

std::vector<PartShare> shares_of(const std::vector<WorstRow>& rows) {
  std::vector<PartShare> shares;
  for (const WorstRow& row : rows) {
    auto found = std::ranges::find(shares, row.parts_at, &PartShare::parts_at);
    if (found == shares.end())
      found = shares.insert(shares.end(), {row.parts_at, 0, 0});
    ++found->rows;
    found->points += std::fabs(row.error) / static_cast<double>(rows.size());
  }
  std::ranges::stable_sort(shares, std::greater{}, &PartShare::points);
  return shares;
}

} // namespace

WorstOfKernel worst_of(const KernelRows& kernel, std::size_t count) {
  std::vector<WorstRow> rows;
  rows.reserve(kernel.rows.size());
  for (const MeasuredRow* row : kernel.rows)
    rows.push_back(explained(*row));
  WorstOfKernel out{kernel.kernel,      kernel.gpu,      std::string(main_quantity().name),
                    kernel.rows.size(), shares_of(rows), {}};
  const std::set<std::string> varied = varied_members(kernel);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (auto& member : config_of(*kernel.rows[i]))
      if (varied.contains(member.first))
        rows[i].config.push_back(std::move(member));
  std::ranges::stable_sort(rows, std::greater{}, [](const WorstRow& row) { return std::fabs(row.error); });
  rows.resize(std::min(rows.size(), count));
  out.worst = std::move(rows);
  return out;
}

} // namespace kerncast::app
