// The work of one SM, as values: what simulate_sm reads and returns.
//
// Everything is resolved to numbers: units are indices, addresses have become requests, paths are steps.
// Nothing here refers to PTX, files or other SMs, so a workload can be hashed, compared and sent to another
// process.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "configs/gpu.h"
#include "memory_model/request.h"

namespace kerncast::engine {

// Where a warp's cycles go, with Nsight Compute's names. `issued` is its "selected".
enum class WarpState : std::uint8_t {
  issued,             // an instruction of the warp issues
  long_scoreboard,    // result of a global, local or texture access
  short_scoreboard,   // result of shared memory or another variable-latency unit
  wait,               // fixed latency of an arithmetic result
  barrier,            // other warps of the CTA
  membar,             // a fence
  math_pipe_throttle, // the arithmetic unit is held by another instruction
  lg_throttle,        // the load/store unit is, and the access is to global or local memory
  not_selected,       // ready, but the scheduler issued another warp
  imc_miss,           // result of the constant cache
  mio_throttle,       // the load/store unit is held, and the access is to another memory
  no_instruction,     // the next instruction is not in the instruction cache
  branch_resolving,   // a branch, before the next instruction is known
  count_
};
inline constexpr std::size_t warp_states = static_cast<std::size_t>(WarpState::count_);
std::string_view name(WarpState state);

enum class SmOpKind : std::uint8_t {
  compute,
  memory,
  barrier, // see BarrierUse
  fence,   // waits for the warp's own memory operations
  exit,
  commit,     // closes the warp's open group of asynchronous operations
  wait_group, // waits for the warp's groups but the newest `keep`
  // Programmatic dependent launch. The kernel runs alone: both take as long as arithmetic, and are noted.
  launch_dependents, // for the CTA, the dependent kernel may start
  wait_for_primary,  // for the kernel before to have ended
};

// What the end of an operation counts for that its warp does not wait for by itself: a group
// (cp.async.commit_group and its like), or the phase of an mbarrier that it delivers bytes to.
enum class AsyncKind : std::uint8_t { none, copies, bulk_copies, matrices, transactions };
inline constexpr std::size_t async_groups = 3;      // kinds of groups
inline constexpr std::uint16_t all_groups = 0xffff; // wait_group: those that are still open, too
inline constexpr std::uint16_t most_groups_kept = 64;

// One machine operation. Sources and destinations are scoreboard slots of the warp.
struct SmOp {
  double latency = 0;
  double cross_latency = 0; // until a dependent on another unit may issue; 0: as latency
  double issue_interval = 1;
  std::uint16_t unit = 0;
  SmOpKind kind = SmOpKind::compute;
  WarpState waits_as = WarpState::wait; // how a warp that waits for the result is charged
  std::uint16_t access = 0;             // memory: which of the step's requests
  bool returns_data = false;            // memory: the destinations wait for the request
  AsyncKind async = AsyncKind::none;    // also of commit and wait_group
  bool barrier_by_step = false;         // barrier: which use is the step's, as requests of memory are
  std::uint16_t keep = 0;               // wait_group
  std::uint32_t barrier = 0;            // barrier: in SmProgram::barrier_uses
  std::uint32_t delivered_bytes = 0;    // AsyncKind::transactions, where the request does not know
  std::uint8_t source_count = 0;
  std::uint8_t destination_count = 0;
  std::uint32_t slots = 0; // in SmProgram::slots: sources, then destinations
};

// What a barrier operation does at one of the CTA's barriers (bar, mbarrier, barrier.cluster). A phase of a
// barrier ends when enough have arrived and what was announced has been delivered.
struct BarrierUse {
  std::uint32_t barrier = 0;         // which of the CTA's
  std::uint32_t arrivals = 1;        // that it adds
  std::uint32_t expected = 0;        // arrivals that end the phase; 0: as many as warps of the CTA still run
  std::uint32_t announced_bytes = 0; // that asynchronous copies of the warp will deliver in this phase
  bool waits = true; // for the end of the phase; without arrivals: the warp's n-th such wait for the n-th
  bool after_copies = false; // arrives when the warp's asynchronous copies have ended
  friend bool operator==(const BarrierUse&, const BarrierUse&) = default;
};

// A step runs ops [first, end) once, or closes a loop: jump back to step `target` until it ran `count` times.
struct Step {
  enum class Kind : std::uint8_t { run, loop_end, finish };
  Kind kind = Kind::run;
  std::uint8_t depth = 0;     // loop_end: which of the warp's loop counters
  std::uint32_t first_op = 0; // run
  std::uint32_t end_op = 0;   // run
  std::uint32_t requests = 0; // run: first of the step's entries in SmProgram::request_pool
  std::uint32_t target = 0;   // loop_end
  std::uint64_t count = 0;    // loop_end
};

struct SmProgram {
  std::vector<SmOp> ops;
  std::vector<std::uint16_t> slots;
  std::uint32_t slot_count = 0;
  std::vector<Step> steps;                 // all paths; each ends with `finish`
  std::vector<std::uint32_t> path_start;   // step of each path
  std::uint32_t loop_depth = 0;            // deepest nesting of any path
  std::vector<std::uint32_t> request_pool; // indices into requests, or into barrier_uses
  std::vector<memory_model::Request> requests;
  std::vector<BarrierUse> barrier_uses;
};

struct SmUnit {
  configs::UnitScope scope = configs::UnitScope::sub_core;
  std::uint32_t count = 1; // pipelines per sub-core or SM
  double queue = 0;        // cycles that instructions may wait for it after they have issued
};

// What DRAM serves takes slope x / (limit - x) + behind_writes x cycles longer at x bytes per clock of this
// SM.
struct DramLoad {
  double slope = 0;         // cycles
  double limit = 0;         // bytes per clock; 0: its latency does not depend on the load
  double behind_writes = 0; // cycles for each byte per clock, of the launch's mix of reads and writes
};

// Slices of L2 take requests on one way, and what is written with them, and send data on another.
struct L2RequestWay {
  double bytes_per_clock = 0;   // that are written; 0: the way of data takes them as well
  double fraction_of_reads = 0; // what a request takes of it, of what a line that is written takes
};

// What an SM is made of, and its share of what all SMs use.
struct SmConfig {
  std::uint32_t sub_cores = 1;
  std::uint32_t issue_width = 1;
  bool dual_issue = false;
  std::uint32_t issue_interval = 1; // cycles from one issue slot of a scheduler to the next
  double warp_issue_distance = 1;
  configs::SchedulerPolicy scheduler = configs::SchedulerPolicy::gto;
  configs::WarpEnd warp_end = configs::WarpEnd::last_completion;
  double cta_launch_latency = 0;  // cycles from a CTA's placement to its first issue
  double first_cta_launch = 0;    // cycle in which the first may be placed
  double cta_launch_interval = 0; // cycles between placements
  std::vector<SmUnit> units;
  std::uint32_t memory_ports = 1;
  double link_bytes_per_clock = 0;    // to L2; 0: unlimited
  double l2_bytes_per_clock = 0;      // this SM's share; 0: unlimited
  L2RequestWay l2_requests;           // this SM's share
  double hottest_turns_per_clock = 0; // this SM's share of the turns at one place in L2; 0: unlimited
  double dram_bytes_per_clock = 0; // this SM's share, of the launch's mix of reads and writes; 0: unlimited
  double others_share = 0;         // of L2, of turns there and of DRAM, that other SMs have
  double in_flight_bytes = 0;      // misses under way; 0: unlimited
  DramLoad dram_load;
  double dram_queueing = 0; // cycles that what DRAM serves takes longer; simulate_sm finds it from dram_load
  // A load waits until the one that the warp issued so many loads before has returned; 0: unlimited.
  std::uint32_t loads_per_warp = 0;
  // Instructions are fetched by lines of 128 bytes; only for programs that the cache cannot hold, else 0.
  std::uint32_t instruction_cache_lines = 0;
  std::uint32_t instructions_per_line = 8;
  double instruction_miss_latency = 0;
  double instruction_sms = 1; // for so many a line comes from L2 once
};

struct CtaKind {
  std::vector<std::uint32_t> warp_paths; // one per warp
};

struct CtaRun { // `count` CTAs of one kind, in dispatch order
  std::uint32_t kind = 0;
  std::uint64_t count = 0;
};

std::uint64_t ctas_of(const std::vector<CtaRun>& ctas); // how many

struct SmWorkload {
  SmConfig config;
  std::shared_ptr<const SmProgram> program; // never null; workloads of one launch share it
  std::vector<CtaKind> kinds;
  std::vector<CtaRun> ctas;
  // What other SMs, with the same config but perhaps later (their results are as if they were not), get
  // instead, under the load of DRAM that this one finds; each begins with the same CTAs, with as many at
  // least as are resident, and this SM has more than that.
  std::vector<std::vector<CtaRun>> other_ctas;
  std::uint32_t resident_ctas = 1;
  bool detail = false; // also report per operation and over time
  // Largest estimated relative error of the cycles at which a steady run of loop iterations or CTAs may be
  // continued instead of being stepped through; 0: everything is stepped through.
  double steady_error = 0;
};

using StateCycles = std::array<double, warp_states>;

// What the executions of one operation of the program cost.
struct OpResult {
  std::uint64_t issued = 0;
  StateCycles state_cycles{}; // warp-cycles charged on the way to its issue, and for the issue
};

// Resident warps over time: warp-cycles in consecutive bins of `bin_cycles`.
struct Residency {
  double bin_cycles = 0;
  std::vector<double> warp_cycles;
};

// What was stepped through where a steady run was continued. All 0: everything.
struct Continuation {
  std::uint64_t ctas = 0; // simulated, of `all_ctas`
  std::uint64_t all_ctas = 0;
  std::uint64_t iterations = 0; // of the longest loop that was shortened, of `all_iterations`
  std::uint64_t all_iterations = 0;
  double error = 0; // estimated, relative to the cycles
};

struct SmResult {
  double cycles = 0; // from the first CTA's placement to the last CTA's end
  // Until the last CTA has issued its first launch_dependents or has ended; `cycles` if none issued any.
  double trigger_cycles = 0;
  // Until the last warp of the first wave that comes to wait_for_primary has; `cycles` if none does.
  double prologue_cycles = 0;
  std::uint64_t warp_instructions = 0;
  StateCycles warp_state_cycles{}; // multiples of 2^-15 whose sum is resident_warp_cycles
  double resident_warp_cycles = 0;
  std::vector<double> unit_busy_cycles; // per unit: cycles held, summed over its pipelines
  double l2_bytes = 0;
  double l2_data_bytes = 0;    // that hold L2's way of data
  double l2_request_bytes = 0; // of written lines that would hold its way of requests as long
  double l2_fetched_bytes = 0; // of l2_bytes: instructions
  double dram_bytes = 0;
  double hottest_turns = 0;      // at the launch's hottest address or line (memory_model::HitRates)
  double dram_queueing = 0;      // cycles that what DRAM served took longer than alone
  double issue_cycles = 0;       // scheduler cycles in which something issued
  double memory_port_cycles = 0; // held, summed over the ports
  // How often all warps of a CTA waited, so that a barrier had to let them go before its phase ended.
  std::uint64_t broken_barriers = 0;
  std::uint64_t simulated_warp_instructions = 0; // stepped through, all attempts at continuing included
  Continuation continued;
  std::vector<OpResult> ops;    // detail: per operation of the program; sums to warp_state_cycles
  Residency residency;          // detail: of the CTAs that were simulated
  std::vector<SmResult> others; // of the workload's other_ctas
};

} // namespace kerncast::engine
