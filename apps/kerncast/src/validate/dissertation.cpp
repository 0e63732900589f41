// validate papers, 001: Volkov's basic and refined model and the isolated ones, on the grid of
// tests/data/volkov, for the GPUs of his Tables 2.6, 2.7, 4.1 and 6.5.
#include <fmt/format.h>

#include "analytical/contention.h"
#include "analytical/gpus_of_001.h"
#include "analytical/isolated.h"
#include "analytical/two_subsystems.h"
#include "analytical/volkov.h"
#include "csv/table.h"
#include "data_folder.h"
#include "papers.h"
#include "support/files.h"

namespace kerncast::app {
namespace {

struct ColumnRow {
  std::string_view column;
  std::string_view model;
  std::string_view quantity;
  double relative_tolerance; // of the digits given
  double absolute_tolerance;
  double (*ours)(const analytical::KernelProfile& profile, double warps);
};

constexpr ColumnRow grid[] = {
    {"volkov_mem_ipc", "volkov", "loads_per_cycle", 1e-4, 0,
     [](const auto& p, double n) { return analytical::volkov(p, n).warps_per_cycle; }},
    {"refined_mem_ipc", "volkov-contention", "loads_per_cycle", 1e-4, 0,
     [](const auto& p, double n) { return analytical::volkov_contention(p, n).warps_per_cycle; }},
    {"isolated_max_mem_ipc", "zhang-owens", "loads_per_cycle", 1e-4, 0,
     [](const auto& p, double n) { return analytical::zhang_owens(p, n).warps_per_cycle; }},
    {"isolated_add_mem_ipc", "isolated-sum", "loads_per_cycle", 1e-4, 0,
     [](const auto& p, double n) { return analytical::isolated_sum(p, n).warps_per_cycle; }},
};
constexpr ColumnRow needed[] = {
    {"n_basic_100pct", "volkov", "warps_for_100_percent", 0, 0.0051,
     [](const auto& p, double) { return analytical::needed_warps(p, 1); }},
    {"n_basic_90pct", "volkov", "warps_for_90_percent", 0, 0.0051,
     [](const auto& p, double) { return analytical::needed_warps(p, 0.9); }},
    {"n_refined_90pct", "volkov-contention", "warps_for_90_percent", 0, 0.0051,
     [](const auto& p, double) { return analytical::needed_warps_with_contention(p, 0.9); }},
};

// A row of one of the files; without a column of warps the file asks for them.
Expected<void> add_row(const csv::Table& table, std::size_t row, std::string_view name,
                       std::span<const ColumnRow> columns, Report& report) {
  const auto cell = [&](std::string_view column) -> const csv::Cell* {
    const std::optional<std::size_t> at = table.find(column);
    return at ? &table.rows[row][*at] : nullptr;
  };
  const auto value = [&](std::string_view column) {
    return cell(column) == nullptr ? std::nullopt : csv::number(cell(column)->text);
  };
  const csv::Cell* const gpu_name = cell("gpu");
  const auto& gpus = analytical::thesis::gpus;
  const auto gpu = gpu_name == nullptr ? gpus.end() : gpus.find(gpu_name->text);
  const std::optional<double> alpha = value("alpha");
  if (gpu == gpus.end() || !alpha)
    return fail(table.error(table.rows[row].front(), "no GPU of 001, or no alpha"));
  const double warps = value("n_warps_per_SM").value_or(0);
  const analytical::KernelProfile profile = analytical::thesis::cadd_profile(gpu->second, *alpha);
  for (const ColumnRow& column : columns) {
    const std::optional<double> published = value(column.column);
    if (!published)
      return fail(table.error(table.rows[row].front(), fmt::format("no number in '{}'", column.column)));
    report.add({"papers",
                std::string(name),
                {},
                std::string(column.model),
                std::string(column.quantity),
                statistics::Scale::relative,
                true},
               {fmt::format("{} alpha {} warps {}", gpu->first, *alpha, warps), *published,
                column.ours(profile, warps), std::nullopt,
                column.absolute_tolerance + column.relative_tolerance * *published});
  }
  return {};
}

Expected<void> add_file(const std::filesystem::path& file, std::string_view name,
                        std::span<const ColumnRow> columns, Report& report) {
  const Expected<csv::Table> table = read_source(file).and_then(csv::read);
  if (!table)
    return tl::unexpected(table.error());
  for (std::size_t row = 0; row < table->rows.size(); ++row)
    if (const Expected<void> added = add_row(*table, row, name, columns, report); !added)
      return tl::unexpected(added.error());
  return {};
}

} // namespace

Expected<void> add_dissertation(const SuiteInput& input, Report& report) {
  const Expected<std::filesystem::path> folder = data_folder(input.session, "volkov");
  if (!folder)
    return tl::unexpected(folder.error());
  if (const Expected<void> added = add_file(*folder / "golden_model.csv", "001 cadd", grid, report); !added)
    return tl::unexpected(added.error());
  return add_file(*folder / "golden_cusp.csv", "001 needed warps", needed, report);
}

} // namespace kerncast::app
