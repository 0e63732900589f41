// Chains of one operation (apps/microbench/operations): what 40 instead of 8 steps of each chain cost.
//
// One chain in one warp gives the latency; four chains in as many warps as an SM holds give the issue
// interval; two and four chains in one warp what instruction-level parallelism alone brings.
#include <algorithm>

#include <fmt/format.h>

#include "configs/compute_capability.h"
#include "configs/isa.h"
#include "families.h"

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
    {"shl_b32", "shl.b32"},
    {"popc_b32", "popc.b32", 20},
    {"add_f32", "add.f32"},
    {"mul_f32", "mul.f32"},
    {"fma_f32", "fma.rn.f32", 20},
    {"ex2_f32", "ex2.approx.ftz.f32"},
    {"rsqrt_f32", "rsqrt.approx.ftz.f32"},
    {"add_f64", "add.f64", 13},
    {"fma_f64", "fma.rn.f64", 13},
    {"fma_f16x2", "fma.rn.f16x2", 53},
    {"shfl_b32", "shfl.sync.bfly.b32", 30},
};

constexpr std::uint32_t trips = 16;
constexpr std::uint32_t more_steps = 40 - 8; // of each chain and trip
constexpr std::uint32_t threads = 256;       // of a CTA that shares its SM
constexpr double tolerance = 0.02;

// What the ISA table says about one operation.
struct Described {
  double latency = 0;       // cycles, of all its machine operations
  double warp_interval = 0; // cycles between two of one warp that do not depend on each other
  double sm_interval = 0;   // cycles between two of an SM
  bool is_single = false;   // one machine operation
};

Described describe(const configs::IsaRow& row, const configs::Gpu& gpu) {
  Described described;
  std::vector<double> held(gpu.units.size(), 0); // cycles of each unit
  double slots = 0;
  const double issued_per_cycle = gpu.issue_width * (gpu.dual_issue ? 2.0 : 1.0) * gpu.sub_cores_per_sm;
  for (const configs::MachineOpSpec& op : row.machine) {
    described.latency += op.parallel ? 0 : op.latency * op.count;
    held[op.unit] += op.issue_interval * op.count;
    slots += op.count;
  }
  described.warp_interval = slots * std::max<double>(gpu.warp_issue_distance, gpu.issue_interval);
  described.sm_interval = slots * gpu.issue_interval / issued_per_cycle;
  for (std::size_t u = 0; u < held.size(); ++u) {
    const configs::Unit& unit = gpu.units[u];
    const double pipelines =
        unit.count * (unit.scope == configs::UnitScope::sub_core ? gpu.sub_cores_per_sm : 1.0);
    described.warp_interval = std::max(described.warp_interval, held[u] / unit.count);
    described.sm_interval = std::max(described.sm_interval, held[u] / pipelines);
  }
  described.is_single = slots == 1;
  return described;
}

// Cycles per step of one chain, beyond what 8 steps cost.
Expected<double> cycles_per_step(const Laboratory& laboratory, const Operation& operation,
                                 std::uint32_t chains, std::uint32_t ctas_per_sm,
                                 std::uint32_t threads_per_cta) {
  double cycles[2] = {};
  constexpr std::uint32_t steps[2] = {8, 40};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string kernel = fmt::format("{}_c{}_{}", operation.kernel, chains, steps[i]);
    tasklist::Launch launch;
    launch.grid.x = ctas_per_sm * laboratory.gpu().sms;
    launch.block.x = threads_per_cta;
    launch.arguments = {buffer_argument(0, 4096 * 8), tasklist::Argument{}, argument(trips)};
    const auto prediction = laboratory.run({{kernel, launch}}, {4096 * 8});
    if (!prediction)
      return tl::unexpected(prediction.error());
    cycles[i] = prediction->cycles;
  }
  return (cycles[1] - cycles[0]) / (trips * more_steps);
}

Expected<Findings> findings_of(const Laboratory& laboratory, const Operation& operation,
                               const Described& described) {
  constexpr std::uint32_t most_chains = 4;
  Findings findings;
  for (const std::uint32_t chains : {1U, 2U, most_chains}) {
    if (chains > 1 && !described.is_single)
      continue; // sequences overlap as their operations allow: no number of the description
    const Expected<double> step = cycles_per_step(laboratory, operation, chains, 1, tasklist::lanes_per_warp);
    if (!step)
      return tl::unexpected(step.error());
    const double best = std::max(described.latency / chains, described.warp_interval);
    findings.push_back(
        {chains == 1 ? "latency" : "one warp",
         chains == 1 ? std::string(operation.ptx) : fmt::format("{} x {}", operation.ptx, chains), "cycles",
         *step / chains, best, tolerance});
  }
  const configs::ResidencyLimits& limits = laboratory.gpu().limits;
  const std::uint32_t ctas = std::min(limits.threads_per_sm / threads, limits.ctas_per_sm);
  const Expected<double> step = cycles_per_step(laboratory, operation, most_chains, ctas, threads);
  if (!step)
    return tl::unexpected(step.error());
  const double warps = ctas * (threads / tasklist::lanes_per_warp);
  findings.push_back({"issue interval of an SM", std::string(operation.ptx), "cycles",
                      *step / (most_chains * warps), described.sm_interval, tolerance});
  return findings;
}

} // namespace

Expected<Findings> find_operations(const Laboratory& laboratory) {
  Findings findings;
  for (const Operation& operation : operations) {
    const configs::Gpu& gpu = laboratory.gpu();
    const configs::IsaRow* row = gpu.isa->find(operation.ptx);
    const std::uint32_t capability = configs::compute_capability(gpu);
    if (row == nullptr || row->machine.empty() || capability < operation.least_capability)
      continue;
    const Expected<Findings> found = findings_of(laboratory, operation, describe(*row, gpu));
    if (!found)
      return found;
    findings.insert(findings.end(), found->begin(), found->end());
  }
  return findings;
}

} // namespace kerncast::app
