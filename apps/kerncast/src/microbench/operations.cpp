// Chains of one operation (apps/microbench/operations, tensor): what 40 instead of 8 steps of each chain
// cost.
//
// One chain in one warp gives the latency; four chains in as many warps as an SM holds give the issue
// interval; two and four chains in one warp what instruction-level parallelism alone brings.
#include <algorithm>

#include <fmt/format.h>

#include "configs/compute_capability.h"
#include "described.h"
#include "families.h"
#include "measurements.h"
#include "repeated.h"

namespace kerncast::app {
namespace {

struct Operation {
  std::string_view kernel; // stem of the kernels' names
  std::string_view ptx;
  std::uint32_t least_capability = 10; // 10 times major plus minor: PTX ISA, target notes of the instruction
};

constexpr Operation operations[] = {
    {"add_s32", "add.s32"},
    {"mad_lo_s32", "mad.lo.s32"},
    {"mul_lo_s32", "mul.lo.s32"},
    {"shl_b32", "shl.b32"},
    {"popc_b32", "popc.b32", 20},
    {"add_f32", "add.f32"},
    {"mul_f32", "mul.f32"},
    {"fma_f32", "fma.rn.f32", 20},
    {"ex2_f32", "ex2.approx.ftz.f32"},
    {"cos_f32", "cos.approx.f32"},
    {"rsqrt_f32", "rsqrt.approx.ftz.f32"},
    {"add_f64", "add.f64", 13},
    {"mul_f64", "mul.f64", 13},
    {"fma_f64", "fma.rn.f64", 13},
    {"fma_f16x2", "fma.rn.f16x2", 53},
    {"shfl_b32", "shfl.sync.bfly.b32", 30},
    {"mma_f16_k8", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 75},
    {"mma_f16", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 80},
    {"mma_bf16", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 80},
    {"mma_tf32", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 80},
    {"mma_s8", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 80},
    {"mma_f64", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 80},
};

Expected<Findings> findings_of(const Laboratory& laboratory, const Operation& operation,
                               const Described& described) {
  constexpr std::uint32_t most_chains = 4;
  Findings findings;
  for (const std::uint32_t chains : {1U, 2U, most_chains}) {
    if (chains > 1 && !described.is_single)
      continue; // sequences overlap as their operations allow: no number of the description
    const Expected<double> step =
        cycles_per_step(laboratory, operation.kernel, chains, {1, tasklist::lanes_per_warp});
    if (!step)
      return tl::unexpected(step.error());
    const double best = std::max(described.latency / chains, described.warp_interval);
    findings.push_back(
        {chains == 1 ? "latency" : "one warp",
         chains == 1 ? std::string(operation.ptx) : fmt::format("{} x {}", operation.ptx, chains), "cycles",
         *step / chains, best, usual_tolerance});
  }
  const std::uint32_t ctas = resident_ctas(laboratory.gpu(), usual_threads);
  const Expected<double> step =
      cycles_per_step(laboratory, operation.kernel, most_chains, {ctas, usual_threads});
  if (!step)
    return tl::unexpected(step.error());
  const double warps = ctas * (usual_threads / tasklist::lanes_per_warp);
  findings.push_back({"issue interval of an SM", std::string(operation.ptx), "cycles",
                      *step / (most_chains * warps), described.sm_interval, usual_tolerance});
  return findings;
}

} // namespace

Expected<double> cycles_per_step(const Laboratory& laboratory, std::string_view operation,
                                 std::uint32_t chains, const Load& load) {
  constexpr std::uint32_t trips = 16;
  constexpr std::uint32_t steps[2] = {8, 40}; // of each chain and trip
  double cycles[2] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string kernel = fmt::format("{}_c{}_{}", operation, chains, steps[i]);
    tasklist::Launch launch;
    launch.grid.x = load.ctas * laboratory.gpu().sms;
    launch.block.x = load.threads;
    launch.arguments = {buffer_argument(0, 4096 * 8), tasklist::Argument{}, argument(trips)};
    const auto prediction = laboratory.run({{kernel, launch}}, {4096 * 8});
    if (!prediction)
      return tl::unexpected(prediction.error());
    cycles[i] = prediction->cycles;
  }
  return (cycles[1] - cycles[0]) / (trips * (steps[1] - steps[0]));
}

Expected<Findings> find_operations(const Laboratory& laboratory) {
  Findings findings;
  for (const Operation& operation : operations) {
    const configs::Gpu& gpu = laboratory.gpu();
    const configs::IsaRow* row = row_of(gpu, operation.ptx);
    if (row == nullptr || configs::compute_capability(gpu) < operation.least_capability)
      continue;
    const Expected<Findings> found = findings_of(laboratory, operation, describe(*row, gpu));
    if (!found)
      return found;
    findings.insert(findings.end(), found->begin(), found->end());
  }
  return findings;
}

} // namespace kerncast::app
