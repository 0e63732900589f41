#include "sweep/kernel_predictions.h"

#include <array>
#include <cassert>

#include "support/byte_parts.h"

namespace kerncast::app {
namespace {

using engine::KernelPrediction;

constexpr std::array numbers{&KernelPrediction::time_us,           &KernelPrediction::cycles,
                             &KernelPrediction::ipc_per_sm,        &KernelPrediction::waves,
                             &KernelPrediction::dram_bytes,        &KernelPrediction::l2_bytes,
                             &KernelPrediction::launch_overhead_us};
constexpr std::array texts{&KernelPrediction::kernel, &KernelPrediction::bound,
                           &KernelPrediction::hit_source};

} // namespace

std::string encode(const KernelPrediction& prediction) {
  assert(!prediction.explanation && !prediction.interval && "sweeps do not ask for them");
  std::string bytes, states;
  for (const auto number : numbers)
    append_plain(prediction.*number, bytes);
  for (const auto text : texts)
    append_part(prediction.*text, bytes);
  append_plain(prediction.warp_instructions, bytes);
  append_plain(prediction.simulated_warp_instructions, bytes);
  append_plain(prediction.occupancy, bytes);
  append_plain(prediction.registers, bytes);
  append_plain(prediction.hit_rates, bytes);
  append_plain(prediction.use, bytes);
  append_plain(prediction.dependents, bytes);
  for (const auto& [state, cycles] : prediction.warp_state_cycles) {
    append_part(state, states);
    append_plain(cycles, states);
  }
  append_part(states, bytes);
  for (const std::string& assumption : prediction.assumptions)
    append_part(assumption, bytes);
  return bytes;
}

KernelPrediction decode_prediction(std::string_view bytes) {
  KernelPrediction prediction;
  for (const auto number : numbers)
    prediction.*number = take_plain<double>(bytes);
  for (const auto text : texts)
    prediction.*text = take_part(bytes);
  prediction.warp_instructions = take_plain<std::uint64_t>(bytes);
  prediction.simulated_warp_instructions = take_plain<std::uint64_t>(bytes);
  prediction.occupancy = take_plain<configs::Occupancy>(bytes);
  prediction.registers = take_plain<std::uint32_t>(bytes);
  prediction.hit_rates = take_plain<memory_model::HitRates>(bytes);
  prediction.use = take_plain<std::optional<engine::GpuUse>>(bytes);
  prediction.dependents = take_plain<std::optional<engine::DependentLaunch>>(bytes);
  for (std::string_view states = take_part(bytes); !states.empty();) {
    const std::string state(take_part(states));
    prediction.warp_state_cycles.emplace(state, take_plain<double>(states));
  }
  while (!bytes.empty())
    prediction.assumptions.emplace_back(take_part(bytes));
  return prediction;
}

} // namespace kerncast::app
