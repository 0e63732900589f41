#include "follow.h"

#include <fmt/format.h>

#include "dram_keys.h"
#include "gpu_keys.h"

namespace kerncast::configs {
namespace {

const ValueOrigin follows = {"follows from --set", Evidence::follows, {}};

// The data rate follows the memory clock; a data rate that is set leaves the clock without a statement.
void follow_memory_clock(Gpu& gpu, const Statements& statements) {
  Dram& dram = gpu.dram;
  if (dram.clock_mhz == 0 || dram.transfers_per_clock == 0)
    return;
  const bool clock = statements.is_set(memory_clock_key) || statements.is_set(transfers_key);
  if (clock && !statements.is_set(rate_key)) {
    dram.data_rate_gtps = dram.clock_mhz * dram.transfers_per_clock / mhz_per_ghz;
    gpu.origins[rate_key] = follows;
  } else if (!clock) {
    dram.clock_mhz = dram.data_rate_gtps * mhz_per_ghz / dram.transfers_per_clock;
    gpu.origins[memory_clock_key] = follows;
  }
}

void follow_bandwidth(Gpu& gpu, const Statements& statements) {
  Dram& dram = gpu.dram;
  const bool bandwidth = statements.is_set(bandwidth_key);
  const bool bus = statements.is_set(bus_key);
  const bool clock = statements.is_set(memory_clock_key) || statements.is_set(transfers_key);
  const bool rate = statements.is_set(rate_key) || clock;
  const bool known = dram.bus_width_bits != 0 && dram.data_rate_gtps != 0;
  if (clock)
    follow_memory_clock(gpu, statements);
  if (known && bandwidth && !rate) {
    dram.data_rate_gtps = dram.bandwidth_gbps * bits_per_byte / dram.bus_width_bits;
    gpu.origins[rate_key] = follows;
  } else if (known && !bandwidth && (bus || rate)) {
    dram.bandwidth_gbps = dram.bus_width_bits / bits_per_byte * dram.data_rate_gtps;
    gpu.origins[bandwidth_key] = follows;
  }
  if (!clock && (bandwidth || rate))
    follow_memory_clock(gpu, statements);
}

void follow_lanes(Gpu& gpu, const Statements& statements) {
  for (Unit& unit : gpu.units) {
    const std::string interval_key = fmt::format("units.{}.issue_interval", unit.name);
    const std::string lanes_key = fmt::format("units.{}.lanes", unit.name);
    const bool interval = statements.is_set(interval_key);
    const bool lanes = statements.is_set(lanes_key);
    if (interval && !lanes && unit.lanes != 0) {
      unit.lanes = 0;
      gpu.origins[lanes_key] = follows;
    } else if (lanes && !interval && unit.lanes != 0) {
      unit.issue_interval = double{lanes_per_warp} / unit.lanes;
      gpu.origins[interval_key] = follows;
    }
  }
}

// A value that was withdrawn, as lanes are by an interval, has no range.
template <class Object>
void check_ranges(const Object& object, std::span<const Key<Object>> rows, const std::string& prefix,
                  const Gpu& gpu, Diagnostics& errors) {
  for (const Key<Object>& row : rows) {
    const std::string key = prefix + std::string(row.facts.name);
    const auto origin = gpu.origins.find(key);
    if (origin == gpu.origins.end() || origin->second.evidence != Evidence::follows)
      continue;
    const Value value = row.get(object);
    const bool is_withdrawn = !row.facts.absent.unstated.empty() && std::get<double>(value) == 0;
    if (const auto wrong = check_value(row.facts, value); wrong && !is_withdrawn)
      errors.push_back(error_at_value(
          {}, fmt::format("{} {}", key, *wrong),
          {fmt::format("{} follows from another key that is set: set it, too, if it is to differ", key)}));
  }
}

} // namespace

void check_followed(const Gpu& gpu, Diagnostics& errors) {
  check_ranges(gpu, gpu_keys(), "", gpu, errors);
  for (const Unit& unit : gpu.units)
    check_ranges(unit, unit_keys(), fmt::format("units.{}.", unit.name), gpu, errors);
}

void follow_settings(Gpu& gpu, const Statements& statements) {
  follow_bandwidth(gpu, statements);
  follow_lanes(gpu, statements);
}

} // namespace kerncast::configs
