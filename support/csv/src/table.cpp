#include "csv/table.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/suggest.h"

namespace kerncast::csv {

std::optional<std::size_t> Table::find(std::string_view column) const {
  const auto found = std::ranges::find(columns, column, &Cell::text);
  if (found == columns.end())
    return {};
  return static_cast<std::size_t>(found - columns.begin());
}

Diagnostic Table::error(const Cell& cell, std::string message, std::vector<std::string> notes) const {
  const auto length = static_cast<std::uint32_t>(std::max<std::size_t>(1, cell.text.size()));
  return source.error(cell.place, length, std::move(message), std::move(notes));
}

Expected<std::vector<std::size_t>> find_columns(const Table& table, std::span<const std::string_view> names) {
  std::vector<std::size_t> found;
  Diagnostics errors;
  for (const std::string_view name : names) {
    if (const std::optional<std::size_t> at = table.find(name)) {
      found.push_back(*at);
      continue;
    }
    std::vector<std::string> there;
    for (const Cell& cell : table.columns)
      there.push_back(cell.text);
    const std::string near = nearest(name, there);
    errors.push_back(table.error(table.columns.front(), fmt::format("no column '{}'", name),
                                 {near.empty() ? fmt::format("columns: {}", fmt::join(there, ", "))
                                               : fmt::format("is '{}' meant?", near)}));
  }
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return found;
}

} // namespace kerncast::csv
