// What the PPT-GPU tool of 2019 (lanl/PPT) reads: an annotated tasklist, its hardware settings, a launch.
//
// The tool's words, where they differ from ours: block (CTA), warp scheduler (sub-core). Its tasklist is one
// straight line that every warp executes: loops are written out and branches do not exist.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kerncast::ppt_gpu_2019 {

enum class ItemKind : std::uint8_t {
  ialu,
  falu,
  dalu,
  sfu,
  global,       // GLOB_MEM_ACCESS LOAD or STORE: the average access time
  global_other, // GLOB_MEM_ACCESS with any other word: the full global latency
  shared,
  local,
  param,
  constant,
  texture,
  thread_sync,
};

struct Item {
  ItemKind kind = ItemKind::ialu;
  double latency = 0;                 // cycles; ialu, falu, dalu and sfu only
  std::uint32_t first_dependency = 0; // in Input::dependencies
  std::uint32_t dependency_count = 0;
};

// The tool's settings of a GPU; comments give its keys where the names differ.
struct Hardware {
  std::string gpu_name;
  std::uint32_t sms = 0;                    // num_SM
  std::uint32_t sp_lanes = 0;               // num_SP_per_SM
  std::uint32_t dp_lanes = 0;               // num_DP_per_SM
  std::uint32_t sf_lanes = 0;               // num_SF_per_SM
  std::uint32_t load_store_units = 0;       // num_load_store_units
  std::uint32_t warp_schedulers = 0;        // num_warp_schedulers
  std::uint32_t instructions_per_warp = 0;  // num_inst_per_warp: issues of one warp in one cycle
  std::uint32_t registers_per_sm = 0;       // num_registers
  std::uint32_t shared_bytes_per_sm = 0;    // shared_mem_size
  std::uint32_t max_blocks_per_sm = 0;      // max_num_block_per_SM
  std::uint32_t max_threads_per_sm = 0;     // max_num_threads_per_SM
  std::uint32_t max_threads_per_block = 0;  // max_num_threads_per_block
  std::uint32_t memory_queue_entries = 128; // global_mem_return_queue
  double clock_hz = 0;                      // clockspeed
  double l2_latency = 0;                    // cycles, as all latencies; l2_mem_latency
  double l2_to_global_latency = 0;          // l2_to_global_mem_latency
  double local_latency = 0;                 // local_mem_latency
  double constant_latency = 0;              // const_mem_latency; also of parameters
  double texture_latency = 0;               // tex_mem_latency
  double shared_latency = 0;                // shared_mem_latency
};

struct Launch {
  std::uint64_t grid_blocks = 0;
  std::uint32_t threads_per_block = 0;
  std::uint32_t registers_per_thread = 0;
  std::uint32_t shared_bytes_per_block = 0;
  double l2_hit = 0; // phit_l2, 0 to 1; the tool has no L1
};

struct Input {
  std::string name; // of the application or kernel
  std::vector<Item> items;
  std::vector<std::uint32_t> dependencies; // indices of earlier items, from 0
  Hardware hardware;
  Launch launch;
  double launch_overhead_s = 0;

  std::span<const std::uint32_t> dependencies_of(const Item& item) const {
    return std::span(dependencies).subspan(item.first_dependency, item.dependency_count);
  }
};

// Largest values that make sense; beyond them memory or exactness in doubles would not hold.
inline constexpr std::uint32_t max_count = 1'000'000; // lanes, units, SMs, registers
inline constexpr std::uint32_t max_threads_per_sm = 65536;
inline constexpr double max_latency = 1e6;            // cycles
inline constexpr std::uint64_t max_items = 1'000'000; // of a tasklist
inline constexpr std::uint64_t max_grid_blocks = 1'000'000'000'000'000;

} // namespace kerncast::ppt_gpu_2019
