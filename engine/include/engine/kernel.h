// One kernel launch on one GPU: from tasklist, machine program and behaviour to SM workloads, and from
// their results to a prediction.
//
// A launch is planned into the distinct workloads its SMs have (the SMs that get ceil(CTAs / SMs) and those
// that get one CTA fewer). Long runs of alike CTAs or loop iterations are continued along their steady rate
// within max_steady_error (unless `exact`).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "configs/gpu.h"
#include "configs/occupancy.h"
#include "engine/explanation.h"
#include "engine/interval.h"
#include "engine/sm_workload.h"
#include "hit_rates/device_caches.h"
#include "machine/program.h"
#include "memory_model/request.h"
#include "support/diagnostics.h"
#include "tasklist/behaviour.h"
#include "tasklist/launch.h"
#include "tasklist/tasklist.h"

namespace kerncast::engine {

// What the kernel may be on the machine instead, as far off as its interval is to reach.
struct OtherProgram {
  std::string source; // of the difference: "slow paths of divisions"
  machine::MachineProgram program;
};

struct KernelInput {
  const tasklist::Tasklist& list;
  const machine::MachineProgram& program;
  const tasklist::LaunchBehaviour& behaviour; // trips one by one, whatever the program has together
  const tasklist::Launch& launch;
  const configs::Gpu& gpu;
  std::optional<memory_model::HitRates> hit_rates;   // given: an oracle
  const hit_rates::LaunchHits* predicted = nullptr;  // else: predicted; null: every access goes to DRAM
  bool average_hits = false;                         // AMAT instead of hits and misses one by one
  bool exact = false;                                // no continuation along the steady rate
  bool explain = false;                              // with an Explanation
  std::span<const OtherProgram> other_programs = {}; // for the interval
};

// Estimated relative error of the cycles at which a run may be continued along its steady rate.
inline constexpr double max_steady_error = 0.0025;

// SMs that do the same work.
struct SmGroup {
  std::uint64_t sm_count = 0;
  std::uint64_t ctas = 0; // per SM
  SmWorkload workload = {};
  double of_work = 0;                           // an SM's share of the launch's
  double of_bandwidth = 0;                      // and of that of L2 and DRAM
  std::optional<std::size_t> with_busiest = {}; // simulated with the busiest group, as its other_ctas say,
  double later = 0;                             // but it starts so many cycles later
};

struct KernelPlan {
  std::string kernel;
  configs::CtaResources cta;
  configs::Occupancy occupancy;
  double residency = 1; // most CTAs that one SM has at a time / CTAs that fit there, whatever the grid
  std::uint32_t registers = 0;
  double waves = 0;                    // CTAs / (CTAs the device holds at once)
  std::uint64_t warp_instructions = 0; // whole device
  // Likewise, of its mix of reads and writes, whatever l2.mshrs let through.
  double dram_bytes_per_clock = 0;
  memory_model::HitRates hit_rates;
  std::string hit_source; // "oracle", "predicted", "assumed"; of all SMs also "simulated"
  std::vector<SmGroup> groups;
  std::shared_ptr<const tasklist::GridOrder> order; // of all CTAs of the grid; null: not known
  std::vector<OpSource> op_sources;                 // per operation of the program
  std::vector<std::string> assumptions;
};

// Hit rates of a memory operation: given ones are the kernel's, predicted ones its own.
memory_model::HitRates hits_of(const KernelInput& input, const machine::MachineOp& op);

// Resident CTAs per SM; fails when none fits.
Expected<configs::Occupancy> occupancy_of(const tasklist::Tasklist& list,
                                          const machine::MachineProgram& program,
                                          const tasklist::Launch& launch, const configs::Gpu& gpu);

// Fails when no CTA fits on an SM.
Expected<KernelPlan> plan_kernel(const KernelInput& input);

// What a launch takes of the GPU while it runs alone, all from 0 to 1.
struct GpuUse {
  double sms = 1;       // SMs with CTAs of it / SMs
  double residency = 1; // most CTAs that one SM has at a time / CTAs that fit there
  // Time that a resource is busy on the slowest SM: of all its resources the busiest, and of its shares of
  // the bandwidths of L2 and DRAM.
  double busiest = 1;
  double bandwidth = 1;
};

// For programmatic dependent launch, when things happen while the kernel runs alone, as parts of its time.
struct DependentLaunch {
  double trigger = 1;  // every CTA has issued griddepcontrol.launch_dependents or has ended
  double prologue = 1; // the first wave's warps have come to griddepcontrol.wait; 1: they have none
};

// One launch. Counts are of the whole device unless their name says per SM.
struct KernelPrediction {
  std::string kernel;
  double time_us = 0; // without launch overhead
  double cycles = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t simulated_warp_instructions = 0; // stepped through
  double ipc_per_sm = 0;
  configs::Occupancy occupancy;
  std::uint32_t registers = 0;
  double waves = 0;
  std::map<std::string, double> warp_state_cycles;
  std::string bound;
  memory_model::HitRates hit_rates;
  std::string hit_source;
  double dram_bytes = 0;
  double l2_bytes = 0;
  double l2_fetched_bytes = 0; // of l2_bytes: instructions
  double launch_overhead_us = 0;
  std::optional<GpuUse> use;                 // none: the model does not say
  std::optional<DependentLaunch> dependents; // likewise
  std::optional<Explanation> explanation;    // if the plan asked for it
  std::optional<Interval> interval;          // if it was asked for
  std::vector<std::string> assumptions;
};

// `results[g]` belongs to plan.groups[g].
KernelPrediction combine(const KernelPlan& plan, const std::vector<SmResult>& results,
                         const configs::Gpu& gpu);

} // namespace kerncast::engine
