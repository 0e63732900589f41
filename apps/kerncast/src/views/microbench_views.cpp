#include "views/microbench_views.h"

#include <algorithm>

#include <fmt/format.h>

#include "views/table.h"

namespace kerncast::app {

std::string microbench_table(const configs::Gpu& gpu, const Findings& findings) {
  Table table({{"", Align::left},
               {"of", Align::left},
               {"found", Align::right},
               {"described", Align::right},
               {"unit", Align::left},
               {"error", Align::right},
               {"", Align::left}});
  for (const Finding& f : findings)
    table.add({std::string(f.family), f.name, fmt::format("{:.6g}", f.found),
               fmt::format("{:.6g}", f.described), std::string(f.unit),
               fmt::format("{:+.2f} %", 100 * f.error()), f.agrees() ? "" : "differs"});
  const auto agreeing =
      std::count_if(findings.begin(), findings.end(), [](const Finding& f) { return f.agrees(); });
  return fmt::format("{}: {} of {} as described\n\n{}\n", gpu.name, agreeing, findings.size(), table.text());
}

Json microbench_json(const configs::Gpu& gpu, const Findings& findings) {
  Json rows = Json::array();
  for (const Finding& f : findings)
    rows.push_back({{"family", std::string(f.family)},
                    {"name", f.name},
                    {"unit", std::string(f.unit)},
                    {"found", f.found},
                    {"described", f.described},
                    {"tolerance", f.tolerance},
                    {"agrees", f.agrees()}});
  return {{"gpu", gpu.name}, {"findings", std::move(rows)}};
}

} // namespace kerncast::app
