// The peak of a type is that of its fused multiply-add: two operations a lane, by as many lanes as the unit's
// issue interval stands for; a published one may also be that of all its lanes, of which a longer interval
// says what is reached. Left out: tensor cores, and units of another kind that help out.
#include "peaks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "configs/isa.h"
#include "dram_keys.h"

namespace kerncast::configs {
namespace {

constexpr double operations_per_warp = 2 * lanes_per_warp;

// What a peak consists of: operations per clock of the whole GPU, and the keys that say so.
struct Rate {
  double operations_per_clock = 0;
  double of_all_lanes = 0;       // not less
  std::vector<std::string> keys; // the units' lanes or interval first: the other place of a contradiction
};

Rate rate_of(const Gpu& gpu, std::string_view operation) {
  const IsaRow* row = gpu.isa->find(operation);
  if (row == nullptr || row->machine.size() != 1)
    return {};
  const MachineOpSpec& op = row->machine.front();
  const Unit& unit = gpu.units[op.unit];
  const double pipelines = unit.count * (unit.scope == UnitScope::sub_core ? gpu.sub_cores_per_sm : 1.0);
  const std::string prefix = "units." + unit.name + ".";
  const double reached = operations_per_warp * pipelines / (op.issue_interval * op.count) * gpu.sms;
  const bool is_unit_rate = op.issue_interval == unit.issue_interval && unit.lanes > 0;
  return {reached,
          is_unit_rate ? std::max(reached, reached * op.issue_interval * unit.lanes / lanes_per_warp)
                       : reached,
          {prefix + "issue_interval", prefix + "lanes", prefix + "count", prefix + "scope", "sms",
           "sub_cores_per_sm", "clock", "clock_mhz", "base_clock_mhz", "boost_clock_mhz", "architecture"}};
}

bool is_farther(const Entry& peak, const Rate& rate, const Statements& statements) {
  return std::any_of(rate.keys.begin(), rate.keys.end(), [&](const std::string& key) {
    const Entry* entry = statements.find(key);
    return entry != nullptr && entry->layer > peak.layer;
  });
}

std::string stated_at(const std::string& key, const Statements& statements) {
  const Entry* entry = statements.find(key);
  return entry == nullptr
             ? fmt::format("{} is not stated", key)
             : fmt::format("{} = {} is stated at {}", key, to_text(entry->value), describe(entry->origin));
}

Diagnostic contradiction(const Entry& peak, double value, const Rate& rate, const Gpu& gpu,
                         const Statements& statements) {
  const double clock = std::max({gpu.clock_mhz, gpu.base_clock_mhz, gpu.boost_clock_mhz});
  return error_at_value(peak.origin,
                        fmt::format("{} is {}, but {} operations per clock at {} MHz are {:.0f}", peak.key,
                                    value, rate.operations_per_clock, clock,
                                    rate.operations_per_clock * clock / mhz_per_ghz),
                        {stated_at(rate.keys.front(), statements), stated_at("sms", statements)});
}

void check_peak(const std::string& key, double& value, std::string_view operation, Gpu& gpu,
                const Statements& statements, Diagnostics& errors) {
  const Rate rate = rate_of(gpu, operation);
  if (rate.operations_per_clock == 0)
    return;
  const Entry* stated = statements.find(key);
  if (stated == nullptr || is_farther(*stated, rate, statements)) {
    value = rate.operations_per_clock * gpu.clock_mhz / mhz_per_ghz;
    gpu.origins[key] = {"follows from units and clock", Evidence::follows, {}};
    return;
  }
  const std::array clocks = {gpu.clock_mhz, gpu.base_clock_mhz, gpu.boost_clock_mhz};
  const auto is_peak = [&](double operations_per_clock, double clock) {
    const double peak = operations_per_clock * clock / mhz_per_ghz;
    return std::fabs(value - peak) <= tolerance * peak && clock > 0;
  };
  const bool holds = std::any_of(clocks.begin(), clocks.end(), [&](double clock) {
    return is_peak(rate.operations_per_clock, clock) || is_peak(rate.of_all_lanes, clock);
  });
  if (!holds)
    errors.push_back(contradiction(*stated, value, rate, gpu, statements));
}

} // namespace

void check_peaks(Gpu& gpu, const Statements& statements, Diagnostics& errors) {
  check_peak("peak.fp32_gflops", gpu.peak.fp32_gflops, "mad.rn.f32", gpu, statements, errors);
  check_peak("peak.fp64_gflops", gpu.peak.fp64_gflops, "mad.rn.f64", gpu, statements, errors);
}

} // namespace kerncast::configs
