// The whole GPU: every SM and every slice of L2 with its DRAM channel is a logical process, and one more
// hands out CTAs.
//
// An SM is that of simulate_sm. What misses L1 crosses the interconnect to the slice that its line hashes to,
// waits there for the slice and, if it misses, for its DRAM channel, and returns. CTAs go in the order of the
// grid to the SM that has room first. The lookahead is the one-way latency of the interconnect, or half of
// what a CTA takes to start where that is less.
// Where addresses are known (GpuWorkload::lines), every SM has an L1 and every slice its share of L2,
// sectored as hit_rates has them; the slices keep their contents from launch to launch. Other accesses hit by
// given or predicted rates, one by one, and are spread evenly over the slices. Left out: rows and banks of
// DRAM, what the two directions of the interconnect share, copies of lines in both partitions of L2, misses
// of the TLB (by rates, as their latency).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "configs/gpu.h"
#include "engine/kernel.h"
#include "engine/merged_program.h"
#include "engine/sm_time.h"
#include "engine/sm_workload.h"
#include "hit_rates/line_accesses.h"
#include "pdes/simulation.h"

namespace kerncast::pdes {

// What SMs, slices and the scheduler of CTAs tell each other.
struct GpuMessage {
  enum class Kind : std::uint8_t {
    access,    // by rates, to a slice
    data,      // of an access; or an SM to itself: an access by lines is done
    line,      // of an access by lines, to a slice
    line_data, // of it
    cta_ended,
    cta,
    kernel_ready, // to the scheduler of CTAs, of several kernels
    place_next,   // it to itself
  };
  Kind kind = Kind::access;
  bool writes = false; // access: its bytes go to L2 with it
  bool loads = false;  // line
  bool stores = false;
  std::uint32_t number =
      0; // access, data: of the SM's miss; line, line_data: of its fetch; else a slot for CTAs
  std::uint32_t detail =
      0; // cta: its kind in SmWorkload::kinds; access, line: its request in SmProgram::requests
  std::uint32_t sectors = 0; // line: mask
  std::uint32_t parts = 0;   // line, of a store: caches::PartMask
  float hottest_turns = 0;   // access: if they are all at the launch's hottest address or line
  Time time = 0; // access: from its start in the slice until the data are back; else the CTA's first issue
  std::uint64_t place = 0;                           // line: the line of L2; cta: its number in the grid
  std::uint64_t most_wanted = hit_rates::no_address; // line: LineAccess::most_wanted
  float l2_bytes = 0;                                // access
  float dram_bytes = 0;
};

// What surrounds the SMs.
struct GpuSurroundings {
  std::uint32_t sms = 1;
  std::uint32_t slices = 1;
  std::uint32_t partitions = 1;       // SM and slice i belong to partition i modulo their number
  Time one_way = engine::one_cycle;   // between an SM and a slice
  Time lookahead = engine::one_cycle; // whole cycles
  Time far_extra = 0;                 // of a hit in another partition
  Time cta_launch_latency = 0;        // from a CTA's end to the first issue of the next one
  Time cta_launch_interval = 0;       // between two CTAs, on whatever SMs
  double l2_bytes_per_clock = 0;      // of one slice
  engine::L2RequestWay l2_requests;   // of one slice
  Time atomic_interval = 0;           // between atomic operations on one address
  double dram_bytes_per_clock = 0;    // of one channel
  // Lines that a slice has on their way from DRAM, each for so long from when it is read; 0: any number.
  std::uint32_t mshrs = 0;
  Time miss_time = 0;
};

struct GpuWorkload {
  GpuSurroundings surroundings;
  engine::SmWorkload sm; // what every SM is; its list of CTAs is that of the grid, in their order
  std::shared_ptr<hit_rates::LaunchLines> lines = nullptr; // null: rates decide what hits
};

// What a kernel brings to the processes of the GPU.
struct KernelOnGpu {
  engine::MergedKernel first = {};                         // where it begins, if there are several
  double dram_bytes_per_clock = 0;                         // of one channel, for its mix of reads and writes
  std::shared_ptr<hit_rates::LaunchLines> lines = nullptr; // null: rates decide what hits
};

// Of accesses with known addresses; sectors but for the first two.
struct CacheCounts {
  std::uint64_t by_lines = 0, by_rates = 0;   // accesses of warps to memory that has caches
  std::uint64_t l1_requested = 0, l1_hit = 0; // by loads
  std::uint64_t l2_loaded = 0, l2_hit = 0;    // by loads that missed L1, and atomics
  std::uint64_t stored = 0, written_back = 0; // to L2; to DRAM
  void add(const CacheCounts& other);
  // As hit_rates has them: stores hit L2 as far as they are not written back.
  memory_model::HitRates rates() const;
};

// What the slices of a GPU's L2 hold, of ranks their own slices; none before the first launch.
using L2Contents = std::vector<caches::SectoredCache>;

struct SliceLoad {
  double l2_bytes = 0;
  double dram_bytes = 0;
};

struct GpuResult {
  double cycles = 0;
  std::vector<engine::SmResult> sms; // those of other ranks are empty
  std::vector<std::uint64_t> ctas;   // by SM
  std::vector<SliceLoad> slices;
  CacheCounts caches; // of this rank's
  Statistics statistics;
};

struct GpuSummary {
  std::uint64_t windows = 0;
  std::uint64_t events = 0;
  double idle_share = 0;     // of the windows of single processes: those in which they had nothing to do
  double mean_sm_cycles = 0; // until an SM's last CTA ends
  double busiest_slice = 0;  // bytes through it, of those through the mean slice
};
GpuSummary summary_of(const GpuResult& result);

// Of a planned launch; `dram_queueing` as the representative SM has it (SmResult::dram_queueing). Appends
// what had to be assumed.
GpuWorkload make_gpu_workload(const engine::KernelPlan& plan, const configs::Gpu& gpu, double dram_queueing,
                              std::vector<std::string>& assumptions);

// The same bytes for every execution; with several ranks those of this rank. `l2`: what earlier launches
// left, and afterwards what this one does; null: it begins empty. Only of workloads with lines.
GpuResult simulate_gpu(const GpuWorkload& workload, const Execution<GpuMessage>& execution = {},
                       L2Contents* l2 = nullptr);

// As engine::combine, of all SMs.
engine::KernelPrediction combine_gpu(const engine::KernelPlan& plan, const GpuResult& result,
                                     const configs::Gpu& gpu);

} // namespace kerncast::pdes
