#include <algorithm>

#include <fmt/format.h>

#include "predict/models.h"
#include "table.h"
#include "validation_views.h"

namespace kerncast::app {
namespace {

// The columns of 003's tables, in their order.
constexpr std::string_view models_of_003[] = {
    simulator, "volkov", "mwp-cwp", "wfg", "mwp-cwp-corrected", "wfg-corrected", "gpumech-rr", "gpumech-gto"};

using Comparisons = std::vector<const Comparison*>;

std::vector<std::string> distinct(const Comparisons& curves, std::string Subject::*name) {
  std::vector<std::string> names;
  for (const Comparison* one : curves)
    if (std::ranges::find(names, one->subject.*name) == names.end())
      names.push_back(one->subject.*name);
  return names;
}

const Comparison* find(const Comparisons& curves, std::string_view kernel, std::string_view gpu,
                       std::string_view model) {
  const auto found = std::ranges::find_if(curves, [&](const Comparison* one) {
    return one->subject.kernel == kernel && one->subject.gpu == gpu && one->subject.model == model;
  });
  return found == curves.end() ? nullptr : *found;
}

std::vector<Column> columns_of(const std::vector<std::string>& names) {
  std::vector<Column> all = {{"kernel", Align::left}};
  for (const std::string& name : names)
    all.push_back({name, Align::right});
  return all;
}

std::string both(double mape, double shape_mape) { return fmt::format("{:.1f} / {:.1f}", mape, shape_mape); }

std::string table_8(const Comparisons& curves) {
  const std::vector<std::string> gpus = distinct(curves, &Subject::gpu);
  Table table(columns_of(gpus));
  for (const std::string& kernel : distinct(curves, &Subject::kernel)) {
    std::vector<std::string> cells = {kernel};
    for (const std::string& gpu : gpus) {
      const Comparison* one = find(curves, kernel, gpu, simulator);
      cells.push_back(one == nullptr ? "-" : fmt::format("{:.1f}", one->errors.mape));
    }
    table.add(std::move(cells));
  }
  return fmt::format("003, Table 8: MAPE of {}\n", simulator) + table.text();
}

std::string tables_10_to_12(const Comparisons& curves, const std::string& gpu) {
  Table table(columns_of({std::begin(models_of_003), std::end(models_of_003)}));
  struct Sums {
    double mape = 0;
    double shape_mape = 0;
  };
  std::vector<Sums> sums(std::size(models_of_003));
  double kernels = 0;
  for (const std::string& kernel : distinct(curves, &Subject::kernel)) {
    if (find(curves, kernel, gpu, simulator) == nullptr)
      continue;
    ++kernels;
    std::vector<std::string> cells = {kernel};
    for (std::size_t m = 0; m < sums.size(); ++m) {
      const Comparison& one = *find(curves, kernel, gpu, models_of_003[m]);
      cells.push_back(both(one.errors.mape, *one.shape_mape));
      sums[m].mape += one.errors.mape;
      sums[m].shape_mape += *one.shape_mape;
    }
    table.add(std::move(cells));
  }
  std::vector<std::string> averages = {"average"};
  for (const Sums& sum : sums)
    averages.push_back(both(sum.mape / kernels, sum.shape_mape / kernels));
  table.add(std::move(averages));
  return fmt::format("\n003, Tables 10 to 12: MAPE / shape MAPE on {}\n", gpu) + table.text();
}

} // namespace

std::string curve_tables(const Report& report) {
  Comparisons curves;
  for (const Comparison& one : report.comparisons)
    if (one.shape_mape)
      curves.push_back(&one);
  if (curves.empty())
    return {};
  std::string text = table_8(curves);
  for (const std::string& gpu : distinct(curves, &Subject::gpu))
    text += tables_10_to_12(curves, gpu);
  return text;
}

} // namespace kerncast::app
