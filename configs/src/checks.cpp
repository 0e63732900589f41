#include "checks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "configs/l1_size.h"
#include "dram_keys.h"

namespace kerncast::configs {
namespace {

constexpr double tolerance = 0.02;        // data sheets round
constexpr double excess_tolerance = 1e-3; // intervals are stated in few digits

class Checker {
public:
  Checker(const Statements& statements, Diagnostics& errors) : statements_(statements), errors_(errors) {}

  // `wrong` is about the values of these keys, which contradict each other. The one that was stated last is
  // shown, with notes where the others are.
  void require(bool holds, std::vector<std::string> keys, const std::string& wrong) {
    if (holds)
      return;
    const auto layer = [this](const std::string& key) {
      const Entry* entry = statements_.find(key);
      return entry == nullptr ? -1 : static_cast<std::ptrdiff_t>(entry->layer);
    };
    std::stable_sort(keys.begin(), keys.end(),
                     [&](const std::string& a, const std::string& b) { return layer(a) > layer(b); });
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    std::vector<std::string> notes;
    for (const std::string& key : keys)
      if (const Entry* entry = statements_.find(key); entry == nullptr)
        notes.push_back(fmt::format("{} is not stated and has its default", key));
      else if (&key != &keys.front())
        notes.push_back(
            fmt::format("{} = {} is stated at {}", key, to_text(entry->value), describe(entry->origin)));
    const Entry* at = statements_.find(keys.front());
    errors_.push_back(error_at_value(at != nullptr ? at->origin : Origin{}, wrong, std::move(notes)));
  }

  void at_most(const std::string& key, double value, const std::string& other, double bound) {
    require(value <= bound, {key, other},
            fmt::format("{} is {}, more than {} allows ({})", key, value, other, bound));
  }

  void power_of_two(const std::string& key, std::uint64_t value) {
    require(std::has_single_bit(value), {key}, fmt::format("{} is {}, not a power of two", key, value));
  }

  void multiple(const std::string& key, double value, const std::string& other, double part) {
    require(part > 0 && std::fmod(value, part) == 0, {key, other},
            fmt::format("{} is {}, not a multiple of {} ({})", key, value, other, part));
  }

  // `part`: bytes, of `what`; the key states the size in KiB or MiB.
  void whole_parts(const std::string& key, std::uint64_t bytes, const std::string& other, double part,
                   std::string_view what) {
    const Entry* at = statements_.find(key);
    require(part > 0 && std::fmod(static_cast<double>(bytes), part) == 0, {key, other},
            fmt::format("{} is {}, {} bytes, which are no whole number of {} of {} bytes", key,
                        at != nullptr ? to_text(at->value) : "derived", bytes, what, part));
  }

private:
  const Statements& statements_;
  Diagnostics& errors_;
};

// The engine keeps a sub-core's warps in one word.
constexpr double most_warps_per_sub_core = 64;

void check_limits(const ResidencyLimits& l, std::uint32_t sub_cores, Checker& check) {
  check.at_most("limits.warps_per_sm", l.warps_per_sm, "sub_cores_per_sm",
                most_warps_per_sub_core * sub_cores);
  check.at_most("limits.threads_per_sm", l.threads_per_sm, "limits.warps_per_sm",
                static_cast<double>(l.warps_per_sm) * lanes_per_warp);
  check.at_most("limits.threads_per_cta", l.threads_per_cta, "limits.threads_per_sm", l.threads_per_sm);
  check.at_most("limits.ctas_per_sm", l.ctas_per_sm, "limits.warps_per_sm", l.warps_per_sm);
  check.at_most("limits.registers_per_cta", l.registers_per_cta, "limits.registers_per_sm",
                l.registers_per_sm);
  check.at_most("limits.registers_per_thread", l.registers_per_thread, "limits.registers_per_cta",
                static_cast<double>(l.registers_per_cta) / lanes_per_warp);
  check.at_most("limits.shared_bytes_per_cta",
                static_cast<double>(l.shared_bytes_per_cta) + l.shared_reserved_bytes_per_cta,
                "limits.shared_bytes_per_sm", l.shared_bytes_per_sm);
}

void check_carve_outs(const ResidencyLimits& limits, Checker& check) {
  const std::string key = "limits.shared_carve_outs_kib";
  const auto sizes = shared_carve_outs(limits);
  check.require(sizes.has_value(), {key},
                fmt::format("{} is '{}', not a list of ascending sizes as '0 8 16'", key,
                            limits.shared_carve_outs_kib));
  if (sizes && !sizes->empty())
    check.require(sizes->back() == limits.shared_bytes_per_sm, {key, "limits.shared_bytes_per_sm"},
                  fmt::format("the largest of {} is not limits.shared_bytes_per_sm", key));
}

void check_cache(const std::string& name, const std::string& size_key, const Cache& cache, Checker& check) {
  check.power_of_two(name + ".line_bytes", cache.line_bytes);
  check.power_of_two(name + ".sector_bytes", cache.sector_bytes);
  check.multiple(name + ".line_bytes", cache.line_bytes, name + ".sector_bytes", cache.sector_bytes);
  check.whole_parts(size_key, cache.bytes, name + ".line_bytes", cache.line_bytes, "lines");
}

// Sets must come out whole: lines over ways, and slices over partitions.
void check_geometry(const Gpu& gpu, Checker& check) {
  const L2Layout& layout = gpu.l2_layout;
  check.power_of_two("shared.banks", gpu.shared.banks);
  check.power_of_two("shared.bank_bytes", gpu.shared.bank_bytes);
  if (gpu.l1.ways != 0)
    check.whole_parts("l1.kib", gpu.l1.bytes, "l1.ways", static_cast<double>(gpu.l1.line_bytes) * gpu.l1.ways,
                      "sets");
  if (gpu.l2.ways != 0)
    check.whole_parts("l2.mib", gpu.l2.bytes, "l2.ways",
                      static_cast<double>(gpu.l2.line_bytes) * gpu.l2.ways * std::max(1U, layout.slices),
                      "sets in all slices");
  if (layout.slices != 0)
    check.multiple("l2.slices", layout.slices, "l2.partitions", layout.partitions);
  if (layout.far_latency != 0) {
    check.at_most("l2.latency", gpu.l2.latency, "l2.far_latency", layout.far_latency);
    check.at_most("l2.far_latency", layout.far_latency, "dram.latency", gpu.dram.latency);
    check.require(layout.partitions > 1, {"l2.far_latency", "l2.partitions"},
                  "l2.far_latency is stated, but there is only one partition");
  }
}

void check_loaded_latency(const Dram& dram, Checker& check) {
  const LoadedLatency& loaded = dram.loaded_latency;
  const bool some = loaded.a != 0 || loaded.b != 0 || loaded.c != 0;
  check.require(!some || (loaded.a != 0 && loaded.c != 0), {"dram.loaded_latency.a", "dram.loaded_latency.c"},
                "dram.loaded_latency needs a and c, b may be 0");
}

void check_latencies(const Gpu& gpu, Checker& check) {
  check.at_most("l1.latency", gpu.l1.latency, "l2.latency", gpu.l2.latency);
  check.at_most("l2.latency", gpu.l2.latency, "dram.latency", gpu.dram.latency);
}

void check_clocks(const Gpu& gpu, Checker& check) {
  if (gpu.boost_clock_mhz > 0)
    check.at_most("base_clock_mhz", gpu.base_clock_mhz, "boost_clock_mhz", gpu.boost_clock_mhz);
}

void check_data_rate(const Dram& dram, Checker& check) {
  const double product = dram.clock_mhz * dram.transfers_per_clock / mhz_per_ghz;
  if (product == 0 || dram.data_rate_gtps == 0)
    return;
  check.require(std::fabs(dram.data_rate_gtps - product) <= tolerance * product,
                {rate_key, memory_clock_key, "dram.transfers_per_clock"},
                fmt::format("{} is {}, but {} transfers per clock at {} MHz are {:.2f}", rate_key,
                            dram.data_rate_gtps, dram.transfers_per_clock, dram.clock_mhz, product));
}

void check_bandwidth(const Dram& dram, Checker& check) {
  if (dram.bus_width_bits == 0 || dram.data_rate_gtps == 0)
    return;
  const double product = dram.bus_width_bits / bits_per_byte * dram.data_rate_gtps;
  check.require(std::fabs(dram.bandwidth_gbps - product) <= tolerance * product,
                {bandwidth_key, bus_key, rate_key},
                fmt::format("{} is {}, but {} bits at {} GT/s are {:.1f}", bandwidth_key, dram.bandwidth_gbps,
                            dram.bus_width_bits, dram.data_rate_gtps, product));
}

// All that comes from DRAM passes L2. At the highest clock that is stated: at a lower one L2 may well be the
// slower of the two.
double l2_gbps(const Gpu& gpu) {
  return gpu.l2.bytes_per_clock * std::max({gpu.clock_mhz, gpu.base_clock_mhz, gpu.boost_clock_mhz}) /
         mhz_per_ghz;
}

constexpr auto l2_key = "l2.bytes_per_clock";
constexpr std::array bandwidth_keys = {l2_key,      bandwidth_key,    bus_key,
                                       rate_key,    memory_clock_key, transfers_key,
                                       "clock_mhz", "base_clock_mhz", "boost_clock_mhz"};

bool is_bandwidth_set(const Statements& statements) {
  return std::any_of(bandwidth_keys.begin(), bandwidth_keys.end(),
                     [&](const char* key) { return statements.is_set(key); });
}

bool is_l2_thin(const Gpu& gpu) { return l2_gbps(gpu) < gpu.dram.bandwidth_gbps * (1 - tolerance); }

std::string thin_l2(const Gpu& gpu) {
  return fmt::format("{} is {}, {:.1f} GB/s, less than {} ({})", l2_key, gpu.l2.bytes_per_clock, l2_gbps(gpu),
                     bandwidth_key, gpu.dram.bandwidth_gbps);
}

void check_nvlink(const NvLink& nvlink, const Statements& statements, Checker& check) {
  const auto is_none = [&](const char* key, double value) {
    return value == 0 && statements.find(key) != nullptr;
  };
  const bool no_links = is_none("nvlink.links", nvlink.links);
  const bool no_bandwidth = is_none("nvlink.bandwidth_gbps", nvlink.bandwidth_gbps);
  check.require(no_links == no_bandwidth || (nvlink.links == 0 && nvlink.bandwidth_gbps == 0),
                {"nvlink.links", "nvlink.bandwidth_gbps"},
                "only one of nvlink.links and nvlink.bandwidth_gbps is none");
}

// "32 / lanes" is the source of no longer interval, and no source speaks of lanes that a nearer file states.
bool is_sourced(const Entry& interval, const Entry* lanes) {
  const bool is_set = interval.origin.source == nullptr;
  const bool is_older = lanes != nullptr && lanes->layer > interval.layer;
  return is_set ||
         (!is_older && !interval.basis.source.empty() && !interval.basis.source.starts_with("32 / lanes"));
}

void check_excess(const Unit& unit, const Statements& statements, Checker& check) {
  const std::string key = fmt::format("units.{}.issue_interval", unit.name);
  const std::string lanes_key = fmt::format("units.{}.lanes", unit.name);
  const Entry* interval = statements.find(key);
  const double shortest = double{lanes_per_warp} / unit.lanes;
  if (interval == nullptr || unit.issue_interval <= shortest * (1 + excess_tolerance))
    return;
  check.require(
      is_sourced(*interval, statements.find(lanes_key)), {key, lanes_key},
      fmt::format("{} is {}, but {} lanes need only {} cycles for a warp, and the longer interval has "
                  "no source: say in a comment on its line where it is from",
                  key, unit.issue_interval, unit.lanes, shortest));
}

void check_unit(const Unit& unit, const Statements& statements, Checker& check) {
  if (unit.cross_latency != 0)
    check.at_most(fmt::format("units.{}.latency", unit.name), unit.latency,
                  fmt::format("units.{}.cross_latency", unit.name), unit.cross_latency);
  if (unit.lanes == 0)
    return;
  const double shortest = double{lanes_per_warp} / unit.lanes;
  const std::string key = fmt::format("units.{}.issue_interval", unit.name);
  check.require(unit.issue_interval >= shortest * (1 - tolerance),
                {key, fmt::format("units.{}.lanes", unit.name)},
                fmt::format("{} is {}, but {} lanes need {} cycles for a warp", key, unit.issue_interval,
                            unit.lanes, shortest));
  check_excess(unit, statements, check);
}

} // namespace

void check_gpu(const Gpu& gpu, const Statements& statements, Diagnostics& errors) {
  Checker check(statements, errors);
  check_limits(gpu.limits, gpu.sub_cores_per_sm, check);
  check_carve_outs(gpu.limits, check);
  check_cache("l1", "l1.kib", gpu.l1, check);
  check_cache("l2", "l2.mib", gpu.l2, check);
  check_geometry(gpu, check);
  check_latencies(gpu, check);
  check_loaded_latency(gpu.dram, check);
  check_clocks(gpu, check);
  check_data_rate(gpu.dram, check);
  check_bandwidth(gpu.dram, check);
  check.require(!is_l2_thin(gpu) || is_bandwidth_set(statements), {l2_key, bandwidth_key}, thin_l2(gpu));
  check_nvlink(gpu.nvlink, statements, check);
  for (const Unit& unit : gpu.units)
    check_unit(unit, statements, check);
}

void note_thin_l2(Gpu& gpu, const Statements& statements) {
  if (is_l2_thin(gpu) && is_bandwidth_set(statements))
    gpu.assumptions.push_back(fmt::format("{}: {}", gpu.name, thin_l2(gpu)));
}

} // namespace kerncast::configs
