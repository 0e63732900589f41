#include "hardware.h"

namespace kerncast::ppt_gpu_2019 {
namespace {

using json::Need;
using json::NodeId;
using json::ValueReader;

template <std::uint32_t Hardware::*member, std::uint64_t least, std::uint64_t most>
void read_count(ValueReader& reader, NodeId value, Hardware& into) {
  into.*member =
      static_cast<std::uint32_t>(reader.natural(value, reader.key(value), {least, most}).value_or(least));
}

template <double Hardware::*member> void read_latency(ValueReader& reader, NodeId value, Hardware& into) {
  into.*member = reader.real(value, reader.key(value), 0, max_latency).value_or(0);
}

void read_clock(ValueReader& reader, NodeId value, Hardware& into) {
  into.clock_hz = reader.real(value, reader.key(value), 1, 1e12).value_or(1);
}

void read_gpu_name(ValueReader& reader, NodeId value, Hardware& into) {
  into.gpu_name = reader.string(value, reader.key(value)).value_or("");
}

// The tool divides by 32 whatever this says.
void read_warp_size(ValueReader& reader, NodeId value, Hardware&) {
  reader.natural(value, reader.key(value), {32, 32});
}

// Those that read nothing are in the tool's settings, and read by none of its decisions about cycles.
constexpr json::Field<Hardware> hardware_fields[] = {
    {"num_SM", Need::required, read_count<&Hardware::sms, 1, max_count>},
    {"num_SP_per_SM", Need::required, read_count<&Hardware::sp_lanes, 0, max_count>},
    {"num_DP_per_SM", Need::required, read_count<&Hardware::dp_lanes, 0, max_count>},
    {"num_SF_per_SM", Need::required, read_count<&Hardware::sf_lanes, 0, max_count>},
    {"num_load_store_units", Need::required, read_count<&Hardware::load_store_units, 1, max_count>},
    {"num_warp_schedulers", Need::required, read_count<&Hardware::warp_schedulers, 1, max_count>},
    {"num_inst_per_warp", Need::required, read_count<&Hardware::instructions_per_warp, 1, max_count>},
    {"num_registers", Need::required, read_count<&Hardware::registers_per_sm, 1, max_count>},
    {"shared_mem_size", Need::required, read_count<&Hardware::shared_bytes_per_sm, 0, hardware_shared_bound>},
    {"max_num_block_per_SM", Need::required, read_count<&Hardware::max_blocks_per_sm, 1, max_threads_per_sm>},
    {"max_num_threads_per_SM", Need::required,
     read_count<&Hardware::max_threads_per_sm, 1, max_threads_per_sm>},
    {"max_num_threads_per_block", Need::required,
     read_count<&Hardware::max_threads_per_block, 1, max_threads_per_sm>},
    {"global_mem_return_queue", Need::required, read_count<&Hardware::memory_queue_entries, 1, max_count>},
    {"clockspeed", Need::required, read_clock},
    {"l2_mem_latency", Need::required, read_latency<&Hardware::l2_latency>},
    {"l2_to_global_mem_latency", Need::required, read_latency<&Hardware::l2_to_global_latency>},
    {"local_mem_latency", Need::required, read_latency<&Hardware::local_latency>},
    {"const_mem_latency", Need::required, read_latency<&Hardware::constant_latency>},
    {"tex_mem_latency", Need::required, read_latency<&Hardware::texture_latency>},
    {"shared_mem_latency", Need::required, read_latency<&Hardware::shared_latency>},
    {"gpu_name", Need::required, read_gpu_name},
    {"warp_size", Need::required, read_warp_size},
    {"gpu_arch", Need::optional, json::read_nothing<Hardware>},
    {"l1_mem_latency", Need::optional, json::read_nothing<Hardware>},
    {"l1_cache_size", Need::optional, json::read_nothing<Hardware>},
    {"l2_cache_size", Need::optional, json::read_nothing<Hardware>},
    {"global_mem_size", Need::optional, json::read_nothing<Hardware>},
    {"tex_cache_latency", Need::optional, json::read_nothing<Hardware>},
    {"num_memory_ports", Need::optional, json::read_nothing<Hardware>},
    {"max_num_warps_per_SM", Need::optional, json::read_nothing<Hardware>},
};

} // namespace

void read_hardware(ValueReader& reader, NodeId object, Hardware& into) {
  read_object(reader, object, "hw", hardware_fields, into);
}

} // namespace kerncast::ppt_gpu_2019
