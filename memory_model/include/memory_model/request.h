// What one warp-wide memory access costs: wavefronts, sectors, latency, and bytes at every level.
//
// Oracle hit rates (PPT-GPU, sec. 3.2): every access of a kernel hits L1 with l1 and, having missed, L2 with
// l2. Average latency (Hennessy and Patterson's AMAT) with bytes past L1 and L2 in proportion to the misses,
// or hits and misses one by one. An access hits or misses with all its sectors. What missed L1 may miss the
// TLB as well and take tlb.miss_latency longer, which is spread evenly over all that missed L1. Left out:
// partitions of L2, how many translations a page walker does at a time.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>

#include "configs/gpu.h"

namespace kerncast::memory_model {

struct HitRates {
  double l1 = 0;            // of sectors requested
  double l2 = 0;            // of sectors of L1 that missed it, or the constant cache
  double tlb_miss = 0;      // of warp-wide accesses, those that hit L1 included
  double constant_miss = 0; // of sectors requested from the constant cache
  // Of lanes of atomics, those at the address that most atomics of the launch have; of sectors of loads that
  // do not ask L1, those of the line that most such loads read.
  double hottest = 0;
  // To each sector of L1 that missed it, or was stored, those that L2 writes to DRAM for it: what stores and
  // atomics changed before, and what earlier launches left. Of stores what is beyond those that `l2` says.
  double displaced = 0;
  friend auto operator<=>(const HitRates&, const HitRates&) = default;
};

enum class AccessKind : std::uint8_t { load, store, atomic };
enum class MemorySpace : std::uint8_t { global, local, shared, constant, texture };

// Byte offsets of the lanes' accesses from a 128-byte boundary; lanes outside the mask are ignored.
struct LaneAddresses {
  bool known = false;
  std::uint32_t mask = 0;
  std::uint32_t bytes_per_lane = 0;
  std::array<std::uint64_t, 32> offsets{};
  std::optional<std::uint64_t> bulk_bytes =
      {};                      // of bulk copies: moved past L1 and registers, in whole sectors
  double wavefront_cycles = 1; // a wavefront holds the pipeline so long: the unit's issue interval
  bool scattered = false;      // not known: every lane is anywhere, whatever the others are
  // Atomics in shared memory that are loops around a compare-and-swap: of one trip. Of the lanes at one
  // address one succeeds in each.
  double trip_cycles = 0;
  double turns = 1; // of an atomic in L2: that a lane takes at its address, each of l2_atomic_interval
};

struct Coalescing {
  std::uint32_t sectors = 0; // distinct sectors touched
  std::uint32_t lines = 0;   // distinct lines touched
};
// Unknown addresses count as one sector of one line per lane (nothing coalesces).
Coalescing coalesce(const LaneAddresses& lanes, const configs::Cache& cache);

// Wavefronts of a shared-memory access: 1 without conflict. Lanes that read the same word of a bank share
// it; accesses wider than a bank go in parts of the warp (half-warps at 8 bytes, quarters at 16). With
// `packs_pairs` the parts of a load are twice as large if the lanes n and n xor 1, or all n and n xor 2, read
// the same place: what they return is packed (compute capability 7.0 to 7.5: an answer of NVIDIA's to
// forums.developer.nvidia.com/t/77228; taken to hold for later ones).
// Scattered lanes want words of their own: so many as the fullest bank has on average. Other unknown
// addresses count as free of conflicts.
double shared_wavefronts(const LaneAddresses& lanes, const configs::SharedMemory& shared,
                         bool packs_pairs = false);
// On average, of so many words each of which is in any of the banks with the same chance.
double words_of_fullest_bank(std::uint32_t words, std::uint32_t banks);
// Of an atomic one, which lanes at the same address do one after the other (Nsight Visual Studio Edition
// 4.7, Memory Statistics - Atomics: each read, modify and write of a location occurs, all serialised).
double shared_atomic_wavefronts(const LaneAddresses& lanes, const configs::SharedMemory& shared);

// Of an access of this kind on this GPU, whatever time they take.
double shared_wavefronts(AccessKind kind, const LaneAddresses& lanes, const configs::Gpu& gpu);

// The most lanes that have the same address; 1 if addresses are unknown.
std::uint32_t lanes_at_one_address(const LaneAddresses& lanes);

// Distinct addresses of a constant access; the constant cache serves one per pass.
std::uint32_t constant_passes(const LaneAddresses& lanes);

// AMAT = h_l1 L1 + (1 - h_l1) (h_l2 L2 + (1 - h_l2) DRAM), latencies as differences from issue, and what
// misses of the TLB add. No level answers before `least` cycles.
double average_access_cycles(const HitRates& hits, const configs::Gpu& gpu, double least = 0);

// What happens to the requests that one level serves.
struct ServedBy {
  double share = 0; // of all requests
  double latency = 0;
  double l2_bytes = 0;
  double dram_bytes = 0;
  friend bool operator==(const ServedBy&, const ServedBy&) = default;
};

// One access as the SM's memory pipeline sees it: on average, and by the level that serves it.
struct Request {
  double latency = 0; // cycles from leaving the pipeline until the data are there, unloaded
  // Passes through the pipeline: each holds it for the unit's issue interval. Where shared memory passes
  // wavefronts faster than that: their time in such intervals. 0: of no lane, only issues.
  double wavefronts = 1;
  double l2_bytes = 0; // that cross the link between SM and L2
  double dram_bytes = 0;
  std::uint32_t sectors = 0;
  // L1, L2, DRAM; shares sum to 1. All 0: every request is the average one.
  std::array<ServedBy, 3> levels{};
  double dram_share = 0; // of the sectors of a load or atomic that DRAM serves
  // Bulk copies end with their last byte: later than the first by what the slowest server needs for all.
  bool ends_with_last_byte = false;
  std::uint64_t signalled_bytes = 0; // bulk copies: that mbarriers count when it has ended; 0: not known
  // In L2, each of l2_atomic_interval: of atomics the turns of all lanes at their addresses, of those at the
  // launch's hottest address, and the most at one address, of others 1; of loads that do not ask L1 the turns
  // of all sectors, and of those of the launch's hottest line.
  double turns = 0;
  double hottest_turns = 0;
  double same_address_turns = 1;
  double dram_written = 0; // share of what DRAM moves that goes there
  bool writes = false;     // l2_bytes go to L2 with the request: stores and atomics
  // L2 is asked line by line: bytes of the lines asked for, and those that are sent to be written, in whole
  // sectors for each line, to each of l2_bytes.
  double line_bytes_per_byte = 1;
  double sent_bytes_per_byte = 1;
  friend bool operator==(const Request&, const Request&) = default;
};
Request make_request(MemorySpace space, AccessKind kind, const LaneAddresses& lanes, const HitRates& hits,
                     const configs::Gpu& gpu);

// The same where hits and misses are requests of their own, in the proportion of the rates: an average hides
// that hits return early. Stores, which nobody waits for, stay averages.
Request make_split_request(MemorySpace space, AccessKind kind, const LaneAddresses& lanes,
                           const HitRates& hits, const configs::Gpu& gpu);

} // namespace kerncast::memory_model
