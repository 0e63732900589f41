// Each check of checks.cpp and peaks.cpp that needs more than what a description must state.
#include "configs/unchecked.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kerncast::configs {
namespace {

struct NeededKey {
  bool is_stated;
  const char* key;
};

void add_missing(const std::string& what, const std::vector<NeededKey>& needs,
                 std::vector<std::string>& lines) {
  std::vector<std::string> missing;
  for (const NeededKey& need : needs)
    if (!need.is_stated)
      missing.emplace_back(need.key);
  if (!missing.empty())
    lines.push_back(fmt::format("{}: {} {} not stated", what, fmt::join(missing, ", "),
                                missing.size() == 1 ? "is" : "are"));
}

void add_units(const Gpu& gpu, std::vector<std::string>& lines) {
  std::vector<std::string> names;
  for (const Unit& unit : gpu.units)
    if (unit.lanes == 0)
      names.push_back(unit.name);
  if (!names.empty())
    lines.push_back(fmt::format("issue_interval of {}: {} no lanes stated", fmt::join(names, ", "),
                                names.size() == 1 ? "it has" : "they have"));
}

// A published peak says something of units and clock only if no nearer file changes what it consists of.
void add_peaks(const Gpu& gpu, std::vector<std::string>& lines) {
  std::vector<std::string> following;
  for (const char* peak : {"peak.fp32_gflops", "peak.fp64_gflops"})
    if (const auto origin = gpu.origins.find(peak);
        origin == gpu.origins.end() || origin->second.evidence == Evidence::follows)
      following.emplace_back(peak);
  if (!following.empty())
    lines.push_back(fmt::format("units and clock: {} {} from them", fmt::join(following, ", "),
                                following.size() == 1 ? "follows" : "follow"));
}

} // namespace

std::vector<std::string> not_checked(const Gpu& gpu) {
  std::vector<std::string> lines;
  add_missing("dram.bandwidth_gbps",
              {{gpu.dram.bus_width_bits != 0, "dram.bus_width_bits"},
               {gpu.dram.data_rate_gtps != 0, "dram.data_rate_gtps"}},
              lines);
  add_missing("dram.data_rate_gtps",
              {{gpu.dram.clock_mhz != 0, "dram.clock_mhz"},
               {gpu.dram.transfers_per_clock != 0, "dram.transfers_per_clock"}},
              lines);
  add_peaks(gpu, lines);
  add_units(gpu, lines);
  return lines;
}

} // namespace kerncast::configs
