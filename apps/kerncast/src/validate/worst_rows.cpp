#include "worst_rows.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
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

// How many times its target a quantity is off; where 0 was measured, anything else is so beyond all measure.
double times_target(const ChainError& error, double target) {
  if (error.error)
    return std::fabs(*error.error) / target;
  return error.measured == error.predicted ? 0 : std::numeric_limits<double>::infinity();
}

// Finds where the row parts first, and where it is farthest off.
class Judge {
public:
  explicit Judge(WorstRow& row) : row_(row) {}

  // In the order of the chain.
  void judge(const ChainError& error, double target) {
    is_judged_ = true;
    const double times = times_target(error, target);
    if (times <= 1)
      return;
    if (!row_.parts_at)
      row_.parts_at = error.quantity;
    if (times > most_)
      row_.farthest = error.quantity;
    most_ = std::max(most_, times);
  }
  void end() {
    if (!row_.parts_at && is_judged_)
      row_.parts_at = "timing";
  }

private:
  WorstRow& row_;
  bool is_judged_ = false;
  double most_ = 1;
};

bool is_judged(const Quantity& quantity, const MeasuredRow& row) {
  return quantity.target != no_target && (quantity.name != "registers" || !row.predicted->registers_given);
}

WorstRow explained(const MeasuredRow& row, const Quantity& main) {
  WorstRow out;
  out.row = row.number + 1;
  out.measured = *main.measured(row.facts);
  out.predicted = main.predicted(*row.predicted);
  out.error = statistics::error_of({out.measured, out.predicted}, main.scale);
  out.bound = row.predicted->prediction.bound;
  Judge judge(out);
  for (const Quantity& quantity : quantities()) {
    if (quantity.role != Role::chain)
      continue;
    const std::optional<ChainError> error = chain_error(quantity, row);
    if (!error)
      continue;
    if (is_judged(quantity, row))
      judge.judge(*error, quantity.target);
    out.chain.push_back(*error);
  }
  judge.end();
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
    rows.push_back(explained(*row, *kernel.main));
  WorstOfKernel out{kernel.kernel,      kernel.gpu,      std::string(kernel.main->name),
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
