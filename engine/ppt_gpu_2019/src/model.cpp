#include "ppt_gpu_2019/model.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "program.h"
#include "sm.h"

namespace kerncast::ppt_gpu_2019 {
namespace {

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

struct BlockLimit {
  const char* resource;
  std::uint64_t blocks;
};

// Resources divide without allocation granularity, as in the tool.
std::array<BlockLimit, 5> block_limits(const Hardware& hardware, const Launch& launch) {
  const std::uint64_t registers = std::uint64_t{launch.threads_per_block} * launch.registers_per_thread;
  const std::uint64_t shared = launch.shared_bytes_per_block;
  return {{{"blocks", hardware.max_blocks_per_sm},
           {"threads", hardware.max_threads_per_sm / launch.threads_per_block},
           {"registers", registers == 0 ? UINT64_MAX : hardware.registers_per_sm / registers},
           {"shared memory", shared == 0 ? UINT64_MAX : hardware.shared_bytes_per_sm / shared},
           {"grid", ceil_div(launch.grid_blocks, hardware.sms)}}};
}

Expected<std::uint32_t> blocks_per_sm(const Input& input) {
  const auto limits = block_limits(input.hardware, input.launch);
  const BlockLimit& least =
      *std::ranges::min_element(limits, {}, [](const BlockLimit& limit) { return limit.blocks; });
  if (least.blocks == 0)
    return fail(fmt::format("not even one block of '{}' fits on an SM: its {} do not suffice", input.name,
                            least.resource),
                "launch smaller blocks, or ones that need fewer registers or less shared memory");
  return static_cast<std::uint32_t>(least.blocks);
}

// Completion times kept for all warps at once; beyond this the input is not a GPU kernel any more.
constexpr std::uint64_t max_completions = std::uint64_t{1} << 27;

// Reader and conversion differ in where values come from; what holds for all is checked here.
Expected<void> check_latencies(const Program& program) {
  const auto bad = std::ranges::find_if(
      program.ops, [](const Op& op) { return !(op.latency >= 0 && op.latency <= max_latency); });
  if (bad == program.ops.end())
    return {};
  return fail(fmt::format("a latency of {} cycles, outside 0 to {}", bad->latency, max_latency),
              "correct the latencies of the tasklist or of the GPU");
}

} // namespace

double average_memory_access_time(const Hardware& hardware, double l2_hit) {
  const double l2 = hardware.l2_latency;
  const double global = l2 + hardware.l2_to_global_latency;
  return (l2_hit * l2) + (1 - l2_hit) * (l2 + (global - l2));
}

Expected<Result> predict(const Input& input) {
  if (input.items.empty())
    return fail(fmt::format("the tasklist of '{}' is empty", input.name), "give at least one item");
  const Expected<std::uint32_t> blocks = blocks_per_sm(input);
  if (!blocks)
    return tl::unexpected(blocks.error());
  const std::uint32_t warps_per_block = (input.launch.threads_per_block + 31) / 32;
  const std::uint64_t warps = std::uint64_t{*blocks} * warps_per_block;
  const Program program = compile(input);
  if (const Expected<void> good = check_latencies(program); !good)
    return tl::unexpected(good.error());
  if (warps * program.slot_count > max_completions)
    return fail(fmt::format("{} warps with {} results kept at a time each are too many to simulate", warps,
                            program.slot_count),
                "check the number of threads per SM and the dependencies of the tasklist");

  SmRun run = run_sm(program, input.hardware, *blocks, warps_per_block);
  Result result;
  result.blocks_per_sm = *blocks;
  result.warps_per_block = warps_per_block;
  result.amat = average_memory_access_time(input.hardware, input.launch.l2_hit);
  result.cycles = run.cycles;
  result.block_end_computations = std::move(run.block_end_computations);
  result.block_actual_end = std::move(run.block_actual_end);
  result.warp_instructions = warps * input.items.size();
  result.warp_issue_events = run.issue_events;
  result.n_workloads = ceil_div(input.launch.grid_blocks, *blocks);
  result.waves = ceil_div(result.n_workloads, input.hardware.sms);
  result.kernel_time_s = static_cast<double>(result.waves) * result.cycles / input.hardware.clock_hz;
  result.total_time_s = result.kernel_time_s + input.launch_overhead_s;
  return result;
}

} // namespace kerncast::ppt_gpu_2019
