#include "memory_checks.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dram_keys.h"

namespace kerncast::configs {
namespace {

constexpr double bytes_per_mib = 1024.0 * 1024;

void check_cache(const std::string& name, const std::string& size_key, const Cache& cache, Checker& check) {
  check.power_of_two(name + ".line_bytes", cache.line_bytes);
  check.power_of_two(name + ".sector_bytes", cache.sector_bytes);
  check.multiple(name + ".line_bytes", cache.line_bytes, name + ".sector_bytes", cache.sector_bytes);
  check.require(cache.line_bytes / Cache::most_sectors <= cache.sector_bytes,
                {name + ".line_bytes", name + ".sector_bytes"},
                fmt::format("{0}.line_bytes is {1}, more than {2} sectors of {0}.sector_bytes ({3})", name,
                            cache.line_bytes, Cache::most_sectors, cache.sector_bytes));
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

// What takes no longer than a share of a hit of L2: the way there and back is part of it.
struct Part {
  const char* key;
  double latency;
  double share;
};

void check_latencies(const Gpu& gpu, Checker& check) {
  check.at_most("l1.latency", gpu.l1.latency, "l2.latency", gpu.l2.latency);
  check.at_most("l2.latency", gpu.l2.latency, "dram.latency", gpu.dram.latency);
  for (const auto& [key, latency, share] :
       {Part{"shared.latency", gpu.shared.latency, 1}, Part{"constant.latency", gpu.constant_latency, 1},
        Part{"interconnect.latency", gpu.interconnect_latency, 0.5}})
    check.require_of_files(
        latency <= gpu.l2.latency * share, {key, "l2.latency"}, {},
        fmt::format("{} is {}, more than l2.latency allows ({})", key, latency, gpu.l2.latency * share));
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

// All that comes from DRAM passes L2. At its own clock, or the highest one that is stated: at a lower one L2
// may well be the slower of the two.
double l2_gbps(const Gpu& gpu) {
  const double mhz = gpu.l2_layout.clock_mhz > 0
                         ? gpu.l2_layout.clock_mhz
                         : std::max({gpu.clock_mhz, gpu.base_clock_mhz, gpu.boost_clock_mhz});
  return gpu.l2.bytes_per_clock * mhz / mhz_per_ghz;
}

void check_l2_bandwidth(const Gpu& gpu, Checker& check) {
  check.require_of_files(
      l2_gbps(gpu) >= gpu.dram.bandwidth_gbps * (1 - tolerance), {"l2.bytes_per_clock", bandwidth_key},
      {bus_key, rate_key, memory_clock_key, transfers_key, "l2.clock_mhz", "clock_mhz", "base_clock_mhz",
       "boost_clock_mhz"},
      fmt::format("l2.bytes_per_clock is {}, {:.1f} GB/s, less than {} ({})", gpu.l2.bytes_per_clock,
                  l2_gbps(gpu), bandwidth_key, gpu.dram.bandwidth_gbps));
}

// The requests of as many reads as bytes_per_clock has must fit their way.
void check_l2_requests(const Gpu& gpu, Checker& check) {
  constexpr const char *write_key = "l2.write_bytes_per_clock", *fraction_key = "l2.read_request_fraction";
  const double writes = gpu.l2_requests.write_bytes_per_clock, fraction = gpu.l2_requests.fraction_of_reads;
  check.require(writes > 0 || fraction == 0, {fraction_key, write_key},
                fmt::format("{} is of the way of requests, and {} is not a number", fraction_key, write_key));
  if (writes <= 0)
    return;
  const double needed = fraction * gpu.l2.bytes_per_clock;
  check.require_of_files(
      needed <= writes * (1 + tolerance), {write_key, fraction_key, "l2.bytes_per_clock"}, {},
      fmt::format("{} is {}, less than the requests of l2.bytes_per_clock need ({:.1f}, at {} = {})",
                  write_key, writes, needed, fraction_key, fraction));
}

// What L1 fetches from L2 comes out of it as its hits do.
void check_l1_bandwidth(const Gpu& gpu, Checker& check) {
  const double link = gpu.memory.to_l2_bytes_per_clock;
  check.require_of_files(gpu.l1.bytes_per_clock >= link * (1 - tolerance),
                         {"l1.bytes_per_clock", "memory.to_l2_bytes_per_clock"}, {},
                         fmt::format("l1.bytes_per_clock is {}, less than memory.to_l2_bytes_per_clock ({})",
                                     gpu.l1.bytes_per_clock, link));
}

void check_sizes(const Gpu& gpu, Checker& check) {
  check.require_of_files(gpu.l2.bytes <= gpu.dram.bytes, {"l2.mib", "dram.gib"}, {},
                         fmt::format("l2.mib is {}, more than the {} MiB of dram.gib",
                                     static_cast<double>(gpu.l2.bytes) / bytes_per_mib,
                                     static_cast<double>(gpu.dram.bytes) / bytes_per_mib));
}

void check_mshrs(const Gpu& gpu, Checker& check) {
  check.require(gpu.l2.mshrs == 0 || gpu.l2_layout.slices > 0, {"l2.mshrs", "l2.slices"},
                "l2.mshrs is of a slice, and l2.slices is not a number");
}

void check_nvlink(const NvLink& nvlink, Checker& check) {
  check.require((nvlink.links != 0) == (nvlink.link_bandwidth_gbps != 0),
                {"nvlink.links", "nvlink.link_bandwidth_gbps"},
                "only one of nvlink.links and nvlink.link_bandwidth_gbps is a number");
}

} // namespace

void check_memory(const Gpu& gpu, Checker& check) {
  check_cache("l1", "l1.kib", gpu.l1, check);
  check_cache("l2", "l2.mib", gpu.l2, check);
  check_geometry(gpu, check);
  check_latencies(gpu, check);
  check_loaded_latency(gpu.dram, check);
  check_data_rate(gpu.dram, check);
  check_bandwidth(gpu.dram, check);
  check_l2_bandwidth(gpu, check);
  check_l1_bandwidth(gpu, check);
  check_l2_requests(gpu, check);
  check_sizes(gpu, check);
  check_mshrs(gpu, check);
  check_nvlink(gpu.nvlink, check);
}

} // namespace kerncast::configs
