// What a launch executes and asks of the memory system, counted over all its warps as hardware counters do.
//
// Left out: predicates but those of branches and exits, which count for the lanes that they take. Other lanes
// that a guard or an if-converted branch switches off count as if they were on, where the counters
// smsp__sass_thread_inst_executed_op_*_pred_on leave them out.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "engine/kernel.h"

namespace kerncast::app {

// Nsight Compute's classes of machine instructions; comparisons of f32 and special functions are fp32.
enum class InstructionClass : std::uint8_t { fp16, fp32, fp64, integer, conversion, control, memory, misc };
inline constexpr std::size_t instruction_classes = 8;
std::string_view name(InstructionClass one);

struct LaunchCounts {
  std::array<double, instruction_classes> thread_instructions{}; // by class
  double global_load_requests = 0;                               // of warps
  double shared_load_wavefronts = 0;
  double shared_store_wavefronts = 0;
  double l2_read_sectors = 0; // asked of L2, by loads and fetches of instructions
  double l2_write_sectors = 0;
  double dram_read_sectors = 0; // asked of DRAM by loads

  double l2_read_hit() const { return l2_read_sectors > 0 ? 1 - dram_read_sectors / l2_read_sectors : 0; }
};

LaunchCounts count_launch(const engine::KernelInput& input, const engine::KernelPrediction& prediction);

} // namespace kerncast::app
