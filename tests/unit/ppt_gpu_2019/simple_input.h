// An input on generous hardware, for claims about one rule at a time.
#pragma once

#include <initializer_list>

#include "ppt_gpu_2019/model.h"

namespace kerncast::ppt_gpu_2019::testing {

inline Hardware generous_hardware() {
  Hardware hw;
  hw.gpu_name = "generous";
  hw.sms = 1;
  hw.sp_lanes = hw.dp_lanes = hw.sf_lanes = 32 * 8;
  hw.load_store_units = 32;
  hw.warp_schedulers = 8;
  hw.instructions_per_warp = 1;
  hw.registers_per_sm = 65536;
  hw.shared_bytes_per_sm = 65536;
  hw.max_blocks_per_sm = 32;
  hw.max_threads_per_sm = 2048;
  hw.max_threads_per_block = 1024;
  hw.clock_hz = 1e9;
  hw.l2_latency = 100;
  hw.l2_to_global_latency = 100;
  hw.local_latency = 200;
  hw.constant_latency = 10;
  hw.texture_latency = 50;
  hw.shared_latency = 20;
  return hw;
}

inline Input input_of_warps(std::uint32_t warps) {
  Input input;
  input.name = "test";
  input.hardware = generous_hardware();
  input.launch = {.grid_blocks = 1, .threads_per_block = 32 * warps, .registers_per_thread = 1};
  return input;
}

inline void add(Input& input, ItemKind kind, double latency = 0,
                std::initializer_list<std::uint32_t> dependencies = {}) {
  input.items.push_back({.kind = kind,
                         .latency = latency,
                         .first_dependency = static_cast<std::uint32_t>(input.dependencies.size()),
                         .dependency_count = static_cast<std::uint32_t>(dependencies.size())});
  input.dependencies.insert(input.dependencies.end(), dependencies);
}

} // namespace kerncast::ppt_gpu_2019::testing
