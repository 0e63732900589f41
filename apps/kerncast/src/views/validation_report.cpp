// What kerncast validate found, as a document in Markdown.
#include <fmt/format.h>

#include "measured_views.h"
#include "validation_tables.h"
#include "validation_views.h"

namespace kerncast::app {
namespace {

std::string worst_section(const WorstOfKernel& kernel) {
  return fmt::format("\n{} on {}: rows and points of the MAPE by what parts\n\n{}\n{}\n\n{}", kernel.kernel,
                     kernel.gpu, parts_table(kernel).markdown(), worst_title(kernel),
                     worst_table(kernel).markdown());
}

std::string verdicts_section(const std::vector<Verdict>& verdicts) {
  Table table({{"bound", Align::left}, {"compared", Align::right}, {"broken", Align::right}});
  for (const Verdict& verdict : verdicts)
    table.add({fmt::format("`{}`", verdict.requirement), fmt::format("{}", verdict.compared),
               fmt::format("{}", verdict.broken.size())});
  return "\n## Bounds\n\n" + table.markdown();
}

} // namespace

std::string validation_markdown(const Report& report, const std::vector<Verdict>& verdicts) {
  std::string text = fmt::format("# Predictions beside measurements\n\nkerncast {}\n", KERNCAST_VERSION);
  if (const std::string curves = curve_tables(report); !curves.empty())
    text += fmt::format("\n## Occupancy curves\n\n```\n{}```\n", curves);
  if (const std::optional<Table> table = statistics_table(report))
    text += "\n## Quantities\n\n" + table->markdown();
  if (!report.stages.empty())
    text += "\n## Share of each stage\n\n" + stages_table(report.stages).markdown();
  if (!report.worst.empty())
    text += "\n## Worst rows\n";
  for (const WorstOfKernel& kernel : report.worst)
    text += worst_section(kernel);
  if (!verdicts.empty())
    text += verdicts_section(verdicts);
  if (!report.notes.empty())
    text += "\n## Notes\n\n";
  for (const std::string& note : report.notes)
    text += fmt::format("- {}\n", note);
  return text;
}

} // namespace kerncast::app
