#include "hardware.h"

#include <array>
#include <vector>

namespace kerncast::ppt_gpu_2019 {
namespace {

struct CountField {
  std::string_view key;
  std::uint32_t Hardware::*member;
  Bounds bounds;
};
constexpr CountField counts[] = {
    {"num_SM", &Hardware::sms, {1, max_count}},
    {"num_SP_per_SM", &Hardware::sp_lanes, {0, max_count}},
    {"num_DP_per_SM", &Hardware::dp_lanes, {0, max_count}},
    {"num_SF_per_SM", &Hardware::sf_lanes, {0, max_count}},
    {"num_load_store_units", &Hardware::load_store_units, {1, max_count}},
    {"num_warp_schedulers", &Hardware::warp_schedulers, {1, max_count}},
    {"num_inst_per_warp", &Hardware::instructions_per_warp, {1, max_count}},
    {"num_registers", &Hardware::registers_per_sm, {1, max_count}},
    {"shared_mem_size", &Hardware::shared_bytes_per_sm, {0, hardware_shared_bound}},
    {"max_num_block_per_SM", &Hardware::max_blocks_per_sm, {1, max_threads_per_sm}},
    {"max_num_threads_per_SM", &Hardware::max_threads_per_sm, {1, max_threads_per_sm}},
    {"max_num_threads_per_block", &Hardware::max_threads_per_block, {1, max_threads_per_sm}},
    {"global_mem_return_queue", &Hardware::memory_queue_entries, {1, max_count}},
};

struct NumberField {
  std::string_view key;
  double Hardware::*member;
  Bounds bounds;
};
constexpr NumberField numbers[] = {
    {"clockspeed", &Hardware::clock_hz, {1, 1e12}},
    {"l2_mem_latency", &Hardware::l2_latency, {0, max_latency}},
    {"l2_to_global_mem_latency", &Hardware::l2_to_global_latency, {0, max_latency}},
    {"local_mem_latency", &Hardware::local_latency, {0, max_latency}},
    {"const_mem_latency", &Hardware::constant_latency, {0, max_latency}},
    {"tex_mem_latency", &Hardware::texture_latency, {0, max_latency}},
    {"shared_mem_latency", &Hardware::shared_latency, {0, max_latency}},
};

// In the tool's settings, and read by none of its decisions about cycles.
constexpr std::string_view without_effect[] = {"gpu_arch",         "l1_mem_latency",      "l1_cache_size",
                                               "l2_cache_size",    "global_mem_size",     "tex_cache_latency",
                                               "num_memory_ports", "max_num_warps_per_SM"};

} // namespace

Hardware read_hardware(JsonFields& fields, const JsonNode& object) {
  std::vector<std::string_view> known(std::begin(without_effect), std::end(without_effect));
  known.insert(known.end(), {"gpu_name", "warp_size"});
  Hardware hardware;
  for (const CountField& field : counts) {
    known.push_back(field.key);
    hardware.*field.member = static_cast<std::uint32_t>(fields.count(object, field.key, field.bounds));
  }
  for (const NumberField& field : numbers) {
    known.push_back(field.key);
    hardware.*field.member = fields.number(object, field.key, field.bounds);
  }
  hardware.gpu_name = fields.text(object, "gpu_name");
  fields.count(object, "warp_size", {32, 32}); // the tool divides by 32 whatever this says
  fields.check_names(object, known);
  return hardware;
}

} // namespace kerncast::ppt_gpu_2019
