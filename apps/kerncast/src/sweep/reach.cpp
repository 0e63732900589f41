#include "sweep/reach.h"

#include <algorithm>
#include <span>

#include "configs/loader.h"

namespace kerncast::app {
namespace {

// Keys, or what keys begin with where it ends in a dot.
constexpr std::string_view never_in_programs[] = {"sms",
                                                  "warp_end",
                                                  "clock",
                                                  "clock_mhz",
                                                  "base_clock_mhz",
                                                  "boost_clock_mhz",
                                                  "cta_launch_latency",
                                                  "cta_launch_interval",
                                                  "launch_overhead_us",
                                                  "kernel_gap_us",
                                                  "graph.",
                                                  "l2.",
                                                  "dram.",
                                                  "tlb.",
                                                  "memory.",
                                                  "host_link.",
                                                  "copy_engines",
                                                  "resident_grids",
                                                  "nvlink.",
                                                  "peak."};
constexpr std::string_view never_in_hits[] = {"clock",
                                              "clock_mhz",
                                              "base_clock_mhz",
                                              "boost_clock_mhz",
                                              "cta_launch_latency",
                                              "cta_launch_interval",
                                              "dram.",
                                              "memory.",
                                              "launch_overhead_us",
                                              "kernel_gap_us",
                                              "graph.",
                                              "host_link.",
                                              "copy_engines",
                                              "nvlink.",
                                              "peak.",
                                              "l1.latency",
                                              "l1.bytes_per_clock",
                                              "l2.latency",
                                              "l2.far_latency",
                                              "l2.clock_mhz",
                                              "l2.bytes_per_clock",
                                              "l2.write_bytes_per_clock",
                                              "l2.read_request_fraction",
                                              "l2.atomic_interval",
                                              "l2.line_bytes_per_clock",
                                              "shared.latency",
                                              "texture.latency",
                                              "units.",
                                              "issue_width",
                                              "dual_issue",
                                              "warp_issue_distance",
                                              "scheduler",
                                              "warp_end"};

bool is_in(std::string_view key, std::span<const std::string_view> names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    return name.ends_with('.') ? key.starts_with(name) : key == name;
  });
}

} // namespace

// Loads are ordered for L2's latency.
bool reaches_programs(std::string_view key) { return key == "l2.latency" || !is_in(key, never_in_programs); }

bool reaches_hits(std::string_view key) { return !is_in(key, never_in_hits); }

bool reaches_l1_hits(std::string_view key) { return reaches_hits(key) && !key.starts_with("l2."); }

std::string values_that_reach(const configs::Gpu& gpu, bool (*reaches)(std::string_view key)) {
  std::string text = gpu.name;
  for (const auto& [key, value] : configs::resolved_values(gpu))
    if (reaches(key))
      text += ' ' + value;
  return text;
}

} // namespace kerncast::app
