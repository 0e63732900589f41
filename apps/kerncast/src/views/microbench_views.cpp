#include "views/microbench_views.h"

#include <algorithm>

#include <fmt/format.h>

#include "views/table.h"

namespace kerncast::app {

namespace {

std::string verdict(const Finding& finding) {
  if (!finding.found)
    return fmt::format("cannot be told: {}", finding.untold);
  return finding.agrees() ? "" : "differs";
}

std::string heading(const configs::Gpu& gpu, const Findings& findings) {
  const auto count = [&](auto which) { return std::count_if(findings.begin(), findings.end(), which); };
  const auto untold = count([](const Finding& f) { return !f.found; });
  const std::string rest = untold == 0 ? "" : fmt::format(", {} cannot be told", untold);
  return fmt::format("{}: {} of {} as described{}", gpu.name,
                     count([](const Finding& f) { return f.agrees(); }), findings.size(), rest);
}

} // namespace

std::string microbench_table(const configs::Gpu& gpu, const Findings& findings) {
  Table table({{"", Align::left},
               {"of", Align::left},
               {"found", Align::right},
               {"described", Align::right},
               {"unit", Align::left},
               {"error", Align::right},
               {"", Align::left}});
  for (const Finding& f : findings)
    table.add({std::string(f.family), f.name, f.found ? fmt::format("{:.6g}", *f.found) : "",
               fmt::format("{:.6g}", f.described), std::string(f.unit),
               f.found ? fmt::format("{:+.2f} %", 100 * f.error()) : "", verdict(f)});
  return fmt::format("{}\n\n{}\n", heading(gpu, findings), table.text());
}

Json microbench_json(const configs::Gpu& gpu, const Findings& findings) {
  Json rows = Json::array();
  for (const Finding& f : findings)
    rows.push_back({{"family", std::string(f.family)},
                    {"name", f.name},
                    {"unit", std::string(f.unit)},
                    {"found", f.found ? Json(*f.found) : Json()},
                    {"described", f.described},
                    {"tolerance", f.tolerance},
                    {"agrees", f.found ? Json(f.agrees()) : Json()},
                    {"cannot_be_told", f.found ? Json() : Json(std::string(f.untold))}});
  return {{"format", "kerncast-microbench/1"}, {"gpu", gpu.name}, {"findings", std::move(rows)}};
}

} // namespace kerncast::app
