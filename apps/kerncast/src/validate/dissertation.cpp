// validate papers, 001: Volkov's basic and refined model and the isolated ones, on the grid of
// tests/data/volkov, for the GPUs of his Tables 2.6, 2.7, 4.1 and 6.5.
#include <fmt/format.h>

#include "analytical/contention.h"
#include "analytical/isolated.h"
#include "analytical/two_subsystems.h"
#include "analytical/volkov.h"
#include "csv/table.h"
#include "data_folder.h"
#include "papers.h"
#include "support/files.h"

namespace kerncast::app {
namespace {

struct ThesisGpu {
  std::string_view name;
  double sms, clock_ghz;
  double mem_lat, mem_thru; // cycles; warp instructions per cycle and SM
  double alu_lat, alu_thru, issue_thru;
  double a, b, c; // loaded latency a + b x / (c - x): cycles, cycles, GB/s
};
constexpr ThesisGpu gpus[] = {{"G80", 16, 1.350, 444, 0.0268, 20, 0.25, 0.5, 453, 61, 81},
                              {"GT200", 30, 1.296, 434, 0.0277, 24, 0.25, 0.5, 438, 17, 140},
                              {"Fermi", 15, 1.400, 513, 0.0599, 18, 1, 1, 501, 41, 170},
                              {"Kepler", 8, 1.124, 301, 0.1338, 9, 4, 4, 300, 32, 170},
                              {"Maxwell", 16, 1.266, 368, 0.0814, 6, 4, 4, 372, 22, 221}};

// His workload cadd: a load of 128 bytes, then alpha dependent additions.
analytical::KernelProfile cadd(const ThesisGpu& gpu, double alpha) {
  analytical::TwoSubsystemKernel k;
  k.compute_instructions = alpha;
  k.memory_instructions = 1;
  k.compute_interval = 1 / gpu.alu_thru;
  k.compute_latency = gpu.alu_lat;
  k.memory_interval = 1 / gpu.mem_thru;
  k.memory_latency = gpu.mem_lat;
  k.memory_issue_interval = 1 / gpu.alu_thru;
  k.issue_limit = gpu.issue_thru;
  analytical::KernelProfile profile = analytical::profile_of(k);
  profile.loaded_memory = {gpu.a, gpu.b, gpu.c, gpu.mem_lat, 1, 128 * gpu.sms * gpu.clock_ghz};
  return profile;
}

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

const ThesisGpu* find_gpu(std::string_view name) {
  for (const ThesisGpu& gpu : gpus)
    if (gpu.name == name)
      return &gpu;
  return nullptr;
}

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
  const ThesisGpu* const gpu = gpu_name == nullptr ? nullptr : find_gpu(gpu_name->text);
  const std::optional<double> alpha = value("alpha");
  if (gpu == nullptr || !alpha)
    return fail(table.error(table.rows[row].front(), "no GPU of 001, or no alpha"));
  const double warps = value("n_warps_per_SM").value_or(0);
  const analytical::KernelProfile profile = cadd(*gpu, *alpha);
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
               {fmt::format("{} alpha {} warps {}", gpu->name, *alpha, warps), *published,
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
