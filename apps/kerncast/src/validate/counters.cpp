#include "counters.h"

#include <algorithm>

namespace kerncast::app {
namespace {

constexpr double bytes_per_sector = 32;

// The first of the names of which the row has a number.
std::optional<double> first_of(const Facts& row, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (const std::optional<double> value = number_of(row, name))
      return value;
  return {};
}

std::optional<double> class_counter(const Facts& row, std::string_view of) {
  return number_of(row, "smsp__sass_thread_inst_executed_op_" + std::string(of) + "_pred_on.sum");
}

template <InstructionClass c> std::optional<double> measured_class(const Facts& row) {
  return class_counter(row, name(c));
}
template <InstructionClass c> double predicted_class(const PredictedLaunch& launch) {
  return launch.counts.thread_instructions[static_cast<std::size_t>(c)];
}

std::optional<double> per_cent(const Facts& row, std::string_view counter) {
  const std::optional<double> value = number_of(row, counter);
  return value ? std::optional(*value / 100) : std::nullopt;
}

std::optional<double> dram_bytes(const Facts& row) {
  const std::optional<double> read = number_of(row, "dram__sectors_read.sum");
  const std::optional<double> written = number_of(row, "dram__sectors_write.sum");
  return read && written ? std::optional(bytes_per_sector * (*read + *written)) : std::nullopt;
}

using C = InstructionClass;
using L = PredictedLaunch;
constexpr statistics::Scale relative = statistics::Scale::relative;
constexpr statistics::Scale in_points = statistics::Scale::points;

constexpr Quantity quantity_table[] = {
    {"time", relative, [](const Facts& r) { return number_of(r, "time_us"); },
     [](const L& l) { return l.prediction.time_us; }, Role::timing},
    {"registers", relative,
     [](const Facts& r) {
       return first_of(r, {"regs", "num_regs"});
     },
     [](const L& l) { return static_cast<double>(l.registers_estimated); }, Role::chain, 10},
    {"occupancy", in_points,
     [](const Facts& r) { return per_cent(r, "sm__warps_active.avg.pct_of_peak_sustained_active"); },
     [](const L& l) { return l.prediction.occupancy.fraction; }, Role::chain},
    {"instructions", relative, [](const Facts& r) { return number_of(r, "smsp__inst_executed.sum"); },
     [](const L& l) { return static_cast<double>(l.prediction.warp_instructions); }, Role::chain, 5},
    {"fp16", relative, measured_class<C::fp16>, predicted_class<C::fp16>},
    {"fp32", relative, measured_class<C::fp32>, predicted_class<C::fp32>},
    {"fp64", relative, measured_class<C::fp64>, predicted_class<C::fp64>},
    {"integer", relative, measured_class<C::integer>, predicted_class<C::integer>},
    {"conversion", relative, measured_class<C::conversion>, predicted_class<C::conversion>},
    {"control", relative, measured_class<C::control>, predicted_class<C::control>},
    {"memory", relative, measured_class<C::memory>, predicted_class<C::memory>},
    {"misc", relative, measured_class<C::misc>, predicted_class<C::misc>},
    {"l1_load_requests", relative,
     [](const Facts& r) { return number_of(r, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"); },
     [](const L& l) { return l.counts.global_load_requests; }, Role::chain, 5},
    {"shared_load_wavefronts", relative,
     [](const Facts& r) { return number_of(r, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"); },
     [](const L& l) { return l.counts.shared_load_wavefronts; }, Role::chain, 5},
    {"shared_store_wavefronts", relative,
     [](const Facts& r) { return number_of(r, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"); },
     [](const L& l) { return l.counts.shared_store_wavefronts; }, Role::chain, 5},
    {"l2_read_sectors", relative, [](const Facts& r) { return number_of(r, "lts__t_sectors_op_read.sum"); },
     [](const L& l) { return l.counts.l2_read_sectors; }, Role::chain, 10},
    {"l2_write_sectors", relative, [](const Facts& r) { return number_of(r, "lts__t_sectors_op_write.sum"); },
     [](const L& l) { return l.counts.l2_write_sectors; }, Role::chain, 10},
    {"l2_hit", in_points, [](const Facts& r) { return number_of(r, "derived_l2_read_hit"); },
     [](const L& l) { return l.counts.l2_read_hit(); }, Role::chain, 5},
    {"dram_bytes", relative, dram_bytes, [](const L& l) { return l.prediction.dram_bytes; }, Role::chain, 15},
    {"cycles", relative,
     [](const Facts& r) {
       return first_of(r, {"derived_elapsed_cycles", "sm__cycles_elapsed.max"});
     },
     [](const L& l) { return l.prediction.cycles; }, Role::timing},
};

} // namespace

std::span<const Quantity> quantities() { return quantity_table; }

const Quantity& main_quantity(const Mapping& mapping) {
  return *std::ranges::find(quantity_table, name(mapping.main), &Quantity::name);
}

} // namespace kerncast::app
