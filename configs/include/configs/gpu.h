// A GPU as kerncast sees it: the resolved contents of a file in configs/gpus, after `inherits` and --set.
//
// Every field is one key of the file (src/gpu_keys.cpp holds the table: key, unit, bounds, meaning).
// latency: cycles from issue until a dependent instruction may issue (the papers' capital lambda).
// issue_interval: cycles one warp instruction holds a unit (the papers' lambda); may be fractional.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kerncast::configs {

struct IsaTable;

enum class UnitScope : std::uint8_t { sub_core, sm };
enum class SchedulerPolicy : std::uint8_t { lrr, gto, oldest, two_level, gty };
// When a warp leaves the SM: `last_completion`, when all its results are there (a store counts as done when
// it starts); `last_issue`, an interval after its last instruction issued, as 000, sec. III-C has it.
enum class WarpEnd : std::uint8_t { last_completion, last_issue };
enum class ClockChoice : std::uint8_t { stated, base, boost }; // which clock clock_mhz is
// What a value rests on. `stated`: its file does not say. `follows`: from other values.
enum class Evidence : std::uint8_t { stated, specified, measured, guess, follows };
enum class Replacement : std::uint8_t { lru, random }; // which line of a set goes when a new one comes
enum class RegisterAllocation : std::uint8_t { per_warp, per_cta }; // per CTA up to compute capability 1.3

// An execution unit: `count` identical pipelines per sub-core or per SM.
struct Unit {
  std::string name; // units.NAME
  UnitScope scope = UnitScope::sub_core;
  std::uint32_t count = 1;
  double latency = 1;
  double issue_interval = 1;
  std::uint32_t lanes = 0;  // of one pipeline; 0: not stated, else checked against issue_interval
  double cross_latency = 0; // until a dependent on another unit may issue; 0: as latency
  // Instructions that wait for it, in a sub-core or in the SM by `scope`, and do not hold up their scheduler.
  std::uint32_t queue = 0;
};

// Limits of residency (CUDA programming guide, table of compute capabilities).
struct ResidencyLimits {
  std::uint32_t ctas_per_sm = 0;
  std::uint32_t warps_per_sm = 0;
  std::uint32_t threads_per_sm = 0;
  std::uint32_t threads_per_cta = 0;
  std::uint32_t registers_per_sm = 0;
  std::uint32_t registers_per_cta = 0;
  std::uint32_t registers_per_thread = 0;
  RegisterAllocation register_allocation = RegisterAllocation::per_warp;
  std::uint32_t register_allocation_unit = 0;    // registers; granted in multiples of it
  std::uint32_t warp_allocation_granularity = 0; // partitions of the register file, each holds whole warps
  std::uint32_t warp_check_granularity = 0;      // partitions that the launch check assumes; 0: as there are
  std::uint32_t shared_bytes_per_sm = 0;
  std::string shared_carve_outs_kib = {};          // of L1's memory, "0 8 16"; empty: L1's size is fixed
  std::uint32_t shared_bytes_per_cta = 0;          // largest, opt-in included
  std::uint32_t shared_allocation_unit = 0;        // bytes
  std::uint32_t shared_reserved_bytes_per_cta = 0; // taken by the system from cc 8.0 on
};

struct Cache {
  static constexpr std::uint32_t most_sectors = 32; // of a line
  std::uint64_t bytes = 0;
  double latency = 0;         // cycles of a hit, from issue
  double bytes_per_clock = 0; // L1: per SM; L2: whole device
  double lines_per_clock =
      0; // L1: that an SM looks up; 0: one in the issue interval of the unit that asks for it
  std::uint32_t line_bytes = 128;
  std::uint32_t sector_bytes = 32;
  std::uint32_t ways = 0; // lines of a set; 0: not known
  Replacement replacement = Replacement::lru;
  double dirty_fraction = 1; // of the lines of a set, that may be dirty: L2
  std::uint32_t mshrs = 0;   // misses under way, L1: of an SM, L2: of a slice; 0: not known
};

// How L2 is divided. Addresses are spread over slices by a hash; on GPUs with two partitions each SM is near
// to one of them and reaches the other through it.
struct L2Layout {
  std::uint32_t slices = 0;     // 0: not known
  std::uint32_t partitions = 1; // 2 on A100, H100
  double far_latency = 0;       // cycles of a hit in the far partition, from issue; 0: as near
  double clock_mhz = 0;         // of L2 and the way there; 0: the SM clock
};

// The way of requests to L2, on which what is written travels.
struct L2Requests {
  double write_bytes_per_clock = 0; // of the whole device; 0: L2's bytes_per_clock holds for reads and writes
  double fraction_of_reads = 0;     // what a byte that is read takes of the way, where a written one takes 1
};

struct InstructionCache {
  std::uint64_t bytes = 0; // of an SM, all levels before L2; 0: not known
  double miss_latency = 0; // cycles of a fetch from L2
  double sms = 1;          // that fetch in step through one cache before L2: it asks L2 once for all of them
};

struct Tlb {
  std::uint64_t reach_bytes = 0; // of device memory that its entries cover; 0: not known
  double miss_latency = 0;       // cycles on top of the access
};

// Latency of DRAM under load: a + b x / (c - x) cycles where x of what is sustained is in use (001 sec. 6.4).
// The simulator takes dram.latency (1 + b / a * x / (c - x)). All 0: not known.
struct LoadedLatency {
  double a = 0; // cycles
  double b = 0; // cycles
  double c = 0; // of the sustained one
};

struct SharedMemory {
  double latency = 0;
  double bytes_per_clock = 0; // of one SM; 0: a wavefront in the issue interval of the unit that asks for it
  std::uint32_t banks = 32;
  std::uint32_t bank_bytes = 4;
};

struct Dram {
  std::uint64_t bytes = 0;
  double latency = 0;               // cycles of an L2 miss, from issue
  double bandwidth_gbps = 0;        // pin bandwidth, 1e9 bytes per second
  double sustained_fraction = 1;    // of the pin bandwidth that streams in one direction reach
  double mixed_loss = 0;            // streams that write half of their bytes reach 1 / (1 + it) of that
  double write_wait = 0;            // cycles that a read waits, times the share of that which writes take
  std::uint32_t bus_width_bits = 0; // with data_rate_gtps: checked against bandwidth_gbps; 0: not checked
  double data_rate_gtps = 0;        // 1e9 transfers per second and pin
  double clock_mhz = 0;           // with transfers_per_clock: checked against data_rate_gtps; 0: not checked
  double transfers_per_clock = 0; // of one pin: 2 for HBM and GDDR3, 4 for GDDR5, 8 for GDDR6
  LoadedLatency loaded_latency;
};

// Published floating-point peaks in 1e9 operations per second, a fused multiply-add counting two. What is
// not stated follows from the units and the clock.
struct Peak {
  double fp32_gflops = 0;
  double fp64_gflops = 0;
};

// How an SM's requests leave it (PPT-GPU's memory ports, bandwidth and concurrent-transfer size).
struct MemoryPorts {
  std::uint32_t ports_per_sm = 1;           // L1 pipelines: requests of as many warps at a time
  double to_l2_bytes_per_clock = 0;         // one SM's link to L2
  std::uint64_t in_flight_bytes_per_sm = 0; // misses under way at most; further ones queue
  std::uint32_t loads_per_warp = 0;         // under way at most; 0: not limited
};

struct HostLink {
  double bandwidth_gbps = 0; // sustained, one direction
  double latency_us = 0;     // of one copy
};

struct NvLink {
  std::uint32_t links = 0;
  double link_bandwidth_gbps = 0; // one direction

  double bandwidth_gbps() const { return links * link_bandwidth_gbps; } // 0: none, or not known
};

// Where a value comes from.
struct ValueOrigin {
  std::string place; // "file:line", "--set", or what it follows from
  Evidence evidence = Evidence::stated;
  std::string source;                         // as the file names it: "H100 white paper"
  std::optional<double> error = std::nullopt; // stated standard error, a share of the value
};

// Of CUDA graphs.
struct GraphCosts {
  double launch_overhead_us = 0; // of a whole graph, on the host; 0: not known
  double node_overhead_us = 0;   // from the end of what a node waits for to its own start; 0: not known
};

struct Gpu {
  std::string name;         // "titan-x"
  std::string product;      // "NVIDIA GeForce GTX TITAN X"
  std::string architecture; // "maxwell": configs/isa/ARCH.toml
  std::uint32_t compute_capability_major = 0;
  std::uint32_t compute_capability_minor = 0;
  std::uint32_t sms = 0;
  double clock_mhz = 0;       // the one that predictions use
  double base_clock_mhz = 0;  // 0: not stated
  double boost_clock_mhz = 0; // 0: not stated
  ClockChoice clock = ClockChoice::stated;
  std::uint32_t sub_cores_per_sm = 0; // each has one warp scheduler
  std::uint32_t issue_width = 1;      // instructions per cycle and scheduler, from any of its warps
  bool dual_issue = false;            // two independent instructions of one warp in one cycle
  double warp_issue_distance = 1;     // cycles at least between two issues of one warp
  std::uint32_t issue_interval = 1;   // cycles from one issue slot of a scheduler to the next
  double guard_latency = 0;  // cycles from a predicate's issue to that of what it guards; 0: as results
  double branch_latency = 0; // cycles from a branch to its warp's next issue; 0: as other operations
  double register_reads_per_cycle = 0; // registers of 32 lanes that a sub-core reads; 0: not limited
  SchedulerPolicy scheduler = SchedulerPolicy::gto;
  WarpEnd warp_end = WarpEnd::last_completion;
  double cta_launch_latency = 0;  // cycles from a CTA's placement to its first issue
  double cta_launch_interval = 0; // cycles between two CTAs that the GPU starts, on any SMs; 0: not limited
  double launch_overhead_us = 0;  // of one kernel launch
  double kernel_gap_us = 0;       // from a kernel's end to the start of the next one of its stream
  GraphCosts graph;
  std::vector<Unit> units;
  ResidencyLimits limits;
  Cache l1;
  bool l1_caches_global = true; // plain global loads; else only local, read-only and texture ones
  bool l1_keeps_stores = false; // sectors that a store writes whole stay in L1; else a store drops them
  Cache l2;
  L2Layout l2_layout;
  L2Requests l2_requests;
  double l2_atomic_interval = 0; // cycles of L2 between operations on one address; 0: not known, not limited
  // Bytes per cycle of L2 that a slice sends of one line; 0: not known, not limited. Taken only with
  // l2_atomic_interval, as loads of a line and atomics of an address wait in the same order.
  double l2_line_bytes_per_clock = 0;
  InstructionCache instruction_cache;
  Tlb tlb;
  SharedMemory shared;
  Dram dram;
  MemoryPorts memory;
  double interconnect_latency = 0;  // cycles, one way between an SM and a slice of L2; 0: not known
  std::uint64_t constant_bytes = 0; // constant cache of an SM; 0: not known
  double constant_latency = 0;
  double texture_latency = 0;
  HostLink host_link;
  std::uint32_t copy_engines = 1;   // copies under way at a time
  std::uint32_t resident_grids = 1; // kernels under way at a time
  NvLink nvlink;
  Peak peak;
  std::shared_ptr<const IsaTable> isa;

  // Per key, for every value that was stated or follows from others.
  std::map<std::string, ValueOrigin> origins;
  // Guesses and other warnings that a prediction with this GPU must name.
  std::vector<std::string> assumptions;

  double cycles_to_us(double cycles) const { return cycles / clock_mhz; }
  // Sustained DRAM bandwidth and L2 bandwidth that fall to one SM, in 1e9 bytes/s.
  double dram_gbps_per_sm() const { return dram.bandwidth_gbps * dram.sustained_fraction / sms; }
  double l2_gbps_per_sm() const { return l2_bytes_per_clock() * clock_mhz / 1e3 / sms; }
  // In cycles of the SM clock. What a hit of L2 takes longer than one of L1, and its bytes per clock, are
  // stated in cycles of L2's own clock where it has one; what lies behind L2 is as much later.
  double cycles_per_l2_cycle() const { return l2_layout.clock_mhz > 0 ? clock_mhz / l2_layout.clock_mhz : 1; }
  double l2_bytes_per_clock() const { return l2.bytes_per_clock / cycles_per_l2_cycle(); }
  double l2_write_bytes_per_clock() const {
    return l2_requests.write_bytes_per_clock / cycles_per_l2_cycle();
  }
  double atomic_interval_cycles() const { return l2_atomic_interval * cycles_per_l2_cycle(); }
  double l2_latency() const { return l2.latency + l2_delay(); }
  double dram_latency() const { return dram.latency + l2_delay(); }
  double l2_delay() const { return (l2.latency - l1.latency) * (cycles_per_l2_cycle() - 1); }
  // Device-wide DRAM bandwidth in bytes per core clock: of the pins, and sustained.
  double pin_bytes_per_clock() const { return dram.bandwidth_gbps * 1e3 / clock_mhz; }
  double dram_bytes_per_clock() const { return dram.sustained_fraction * pin_bytes_per_clock(); }
};

} // namespace kerncast::configs
