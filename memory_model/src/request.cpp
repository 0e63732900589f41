// From lane addresses and hit rates to the cost of one request.
#include "memory_model/request.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace kerncast::memory_model {
namespace {

// Each line is a wavefront, or takes less than one where L1 looks up lines faster than the unit asks. Where
// L1 moves fewer bytes to or from registers in their time than the lanes want, each lane its own even of one
// address, the access takes as much longer: on an RTX 2080 Ti 2 cycles for 4 bytes a lane and 8 for 16,
// uniform or not.
double wavefronts(const LaneAddresses& lanes, const Coalescing& touched, const configs::Cache& l1) {
  const double each = l1.lines_per_clock > 0 ? 1 / (l1.lines_per_clock * lanes.wavefront_cycles) : 1;
  const double lines = std::max(1.0, each * touched.lines);
  if (l1.bytes_per_clock <= 0)
    return lines;
  const double bytes = double{1} * std::popcount(lanes.mask) * lanes.bytes_per_lane;
  return std::max(lines, bytes / (l1.bytes_per_clock * lanes.wavefront_cycles));
}

HitRates with_l2(HitRates hits, double l2) {
  hits.l2 = l2;
  return hits;
}

// The constant cache stands for L1.
HitRates of_constants(HitRates hits) {
  hits.l1 = 1 - hits.constant_miss;
  return hits;
}

// What becomes in L2 of requests that missed L1.
struct InL2 {
  double hit = 0;     // share of the requests
  double fetched = 1; // bytes that DRAM sends for each byte of the others
  double written = 0; // bytes that it is sent to make room, for each byte of all

  double dram_bytes() const { return (1 - hit) * fetched + written; } // for each byte of all
  double written_share() const { return written > 0 ? written / dram_bytes() : 0; }
};

// Of what the lanes touch. Bulk copies touch neighbours, as far as is known here.
double l1_sectors_per_l2_sector(const LaneAddresses& lanes, const configs::Gpu& gpu) {
  if (lanes.bulk_bytes)
    return double{1} * gpu.l2.sector_bytes / gpu.l1.sector_bytes;
  const std::uint32_t of_l2 = coalesce(lanes, gpu.l2).sectors;
  return of_l2 == 0 ? 1 : double{1} * coalesce(lanes, gpu.l1).sectors / of_l2;
}

// L2 fetches whole sectors of its own. Where they are larger than L1's, only the first of L1's in each
// misses, and the others of its request wait with it: of N sectors in n of L2's (1 - h2) N miss, which are
// all n of (1 - h2) N / n requests. A request that L1 has in part may miss whole; none fetches more than n.
InL2 in_l2(const LaneAddresses& lanes, const HitRates& hits, const configs::Gpu& gpu) {
  const double ratio = double{1} * gpu.l2.sector_bytes / gpu.l1.sector_bytes;
  if (ratio <= 1)
    return {hits.l2, 1, hits.displaced};
  const double per_sector = l1_sectors_per_l2_sector(lanes, gpu);
  const double fetched = (1 - hits.l2) * per_sector;
  const double most = lanes.bulk_bytes ? ratio : 1 / (1 - hits.l1);
  return {1 - std::min(1.0, fetched), ratio / per_sector * std::clamp(fetched, 1.0, most),
          hits.displaced * ratio};
}

// What L2 writes to make room, for each byte of the requests that miss it, and of all that ask it.
struct Written {
  double by_misses = 0, by_all = 0;
};

// Who misses makes the room, a line for each sector that is fetched at most; where given rates say that so
// few miss, all make the rest.
Written written_for(const InL2& l2, const configs::Gpu& gpu) {
  const double misses = 1 - l2.hit;
  const double most = l2.fetched * gpu.l2.line_bytes / gpu.l2.sector_bytes;
  const double by_misses = std::min(l2.written, misses * most);
  return {misses > 0 ? by_misses / misses : 0, l2.written - by_misses};
}

double line_bytes_per_byte(const Coalescing& touched, const configs::Cache& cache) {
  return double{1} * touched.lines * cache.line_bytes / (double{1} * touched.sectors * cache.sector_bytes);
}

// Loads go through L1; what misses crosses the link to L2, what misses there comes from DRAM. No level
// answers before `least` cycles.
Request cached_load(const LaneAddresses& lanes, const HitRates& hits, const configs::Gpu& gpu,
                    double least = 0) {
  const Coalescing touched = coalesce(lanes, gpu.l1);
  const InL2 l2 = in_l2(lanes, hits, gpu);
  const double bytes = double{1} * touched.sectors * gpu.l1.sector_bytes;
  Request request;
  request.latency = average_access_cycles(with_l2(hits, l2.hit), gpu, least);
  request.wavefronts = wavefronts(lanes, touched, gpu.l1);
  request.l2_bytes = bytes * (1 - hits.l1);
  request.dram_bytes = request.l2_bytes * l2.dram_bytes();
  request.dram_share = (1 - hits.l1) * (1 - l2.hit);
  request.dram_written = l2.written_share();
  request.sectors = touched.sectors;
  request.line_bytes_per_byte = line_bytes_per_byte(touched, gpu.l1);
  return request;
}

// By what misses of the TLB prolong an access that missed L1, on average: L1, which is found by virtual
// addresses (Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018), asks for
// no translation.
double translation_cycles(const HitRates& hits, const configs::Gpu& gpu) {
  return hits.l1 < 1 ? std::min(1.0, hits.tlb_miss / (1 - hits.l1)) * gpu.tlb.miss_latency : 0;
}

// Cycles until L1, L2 and DRAM answer, none before `least`.
std::array<double, 3> latencies_of_levels(const HitRates& hits, const configs::Gpu& gpu, double least) {
  const double translation = translation_cycles(hits, gpu);
  return {std::max(least, gpu.l1.latency), std::max(least, gpu.l2_latency() + translation),
          std::max(least, gpu.dram_latency() + translation)};
}

HitRates past_l1(HitRates hits) {
  hits.l1 = 0;
  return hits;
}

// What the lanes write of a line is sent side by side, wherever in its sectors it lies, with a bit for each
// byte of sectors that are not written whole, in parts of a sector's size (guess: memory.md).
void send_side_by_side(Request& request, const LaneAddresses& lanes, const configs::Gpu& gpu) {
  constexpr double bits_per_byte = 8;
  const double lines = request.line_bytes_per_byte * request.l2_bytes / gpu.l1.line_bytes;
  const double written = double{1} * std::popcount(lanes.mask) * lanes.bytes_per_lane;
  const double with_mask = written + request.l2_bytes / bits_per_byte;
  const double parts = std::ceil(with_mask / lines / gpu.l1.sector_bytes);
  request.sent_bytes_per_byte = std::min(1.0, parts * lines * gpu.l1.sector_bytes / request.l2_bytes);
}

// Stores write through L1; L2 writes back what it cannot keep.
Request write_through(const LaneAddresses& lanes, const HitRates& hits, const configs::Gpu& gpu) {
  Request request = cached_load(lanes, past_l1(hits), gpu);
  send_side_by_side(request, lanes, gpu);
  request.latency = 0; // done for the warp when it has left the pipeline
  request.dram_share = 0;
  request.dram_written = 1;
  request.writes = true;
  return request;
}

// By what the lanes of an atomic wait for one another in L2: those of one address take turns.
double wait_for_turns(const LaneAddresses& lanes, const configs::Gpu& gpu) {
  return (lanes_at_one_address(lanes) - 1) * lanes.turns * gpu.atomic_interval_cycles();
}

// Atomics are carried out in L2: they never hit L1 and return from there.
Request atomic(const LaneAddresses& lanes, const HitRates& hits, const configs::Gpu& gpu) {
  Request request = cached_load(lanes, past_l1(hits), gpu);
  send_side_by_side(request, lanes, gpu);
  request.writes = true;
  request.turns = std::popcount(lanes.mask) * lanes.turns;
  request.hottest_turns = hits.hottest * request.turns;
  request.same_address_turns = lanes_at_one_address(lanes) * lanes.turns;
  request.latency += wait_for_turns(lanes, gpu);
  return request;
}

// Its slice sends the sectors of the launch's hottest line one after the other.
Request load(const LaneAddresses& lanes, const HitRates& hits, const configs::Gpu& gpu) {
  Request request = cached_load(lanes, hits, gpu);
  if (hits.hottest > 0 && gpu.l2_line_bytes_per_clock > 0 && gpu.l2_atomic_interval > 0) {
    request.turns = request.l2_bytes / gpu.l2_line_bytes_per_clock / gpu.l2_atomic_interval;
    request.hottest_turns = hits.hottest * request.turns;
  }
  return request;
}

Request global(AccessKind kind, const LaneAddresses& lanes, const HitRates& hits, const configs::Gpu& gpu) {
  switch (kind) {
  case AccessKind::load:
    return load(lanes, hits, gpu);
  case AccessKind::store:
    return write_through(lanes, hits, gpu);
  case AccessKind::atomic:
    return atomic(lanes, hits, gpu);
  }
  assert(false && "every kind of access is handled");
  return {};
}

Request on_chip(double latency, double wavefronts) {
  Request request;
  request.latency = latency;
  request.wavefronts = wavefronts;
  return request;
}

// Where no lane is active the nearest memory has nothing to look for: as a hit there (guess), without a pass.
Request of_no_lane(MemorySpace space, AccessKind kind, const configs::Gpu& gpu) {
  if (kind == AccessKind::store)
    return on_chip(0, 0);
  switch (space) {
  case MemorySpace::shared:
    return on_chip(gpu.shared.latency, 0);
  case MemorySpace::constant:
    return on_chip(gpu.constant_latency, 0);
  case MemorySpace::texture:
    return on_chip(gpu.texture_latency, 0);
  case MemorySpace::global:
  case MemorySpace::local:
    return on_chip(gpu.l1.latency, 0);
  }
  assert(false && "every space is handled");
  return {};
}

// Where shared memory passes wavefronts faster than the unit asks for accesses, those of one access take less
// than an issue interval each, together at least one.
double in_issue_intervals(double wavefronts, const LaneAddresses& lanes,
                          const configs::SharedMemory& shared) {
  if (shared.bytes_per_clock == 0)
    return wavefronts;
  const double bytes = wavefronts * shared.banks * shared.bank_bytes;
  return std::max(1.0, bytes / (shared.bytes_per_clock * lanes.wavefront_cycles));
}

Request in_shared(AccessKind kind, const LaneAddresses& lanes, const configs::Gpu& gpu) {
  const double more_trips = lanes.trip_cycles > 0 ? lanes_at_one_address(lanes) - 1 : 0;
  return on_chip((kind == AccessKind::store ? 0 : gpu.shared.latency) + more_trips * lanes.trip_cycles,
                 in_issue_intervals(shared_wavefronts(kind, lanes, gpu), lanes, gpu.shared));
}

// The constant cache serves one address a pass; what it does not hold comes from L2 as a miss of L1 does.
Request constant(const LaneAddresses& lanes, const HitRates& hits, const configs::Gpu& gpu) {
  Request request = on_chip(gpu.constant_latency, constant_passes(lanes));
  const double missed = hits.constant_miss;
  if (missed == 0)
    return request;
  const Coalescing touched = coalesce(lanes, gpu.l1);
  const InL2 l2 = in_l2(lanes, of_constants(hits), gpu);
  request.latency +=
      missed * (l2.hit * gpu.l2_latency() + (1 - l2.hit) * gpu.dram_latency() - gpu.constant_latency);
  request.sectors = touched.sectors;
  request.l2_bytes = missed * touched.sectors * gpu.l1.sector_bytes;
  request.dram_bytes = request.l2_bytes * l2.dram_bytes();
  request.dram_share = missed * (1 - l2.hit);
  request.dram_written = l2.written_share();
  request.line_bytes_per_byte = line_bytes_per_byte(touched, gpu.l1);
  return request;
}

// The copy engine asks L2 for all sectors. Nobody waits for what is stored but the instruction that waits for
// its group, until it has left the SM.
Request bulk(AccessKind kind, const LaneAddresses& lanes, const HitRates& hits, const configs::Gpu& gpu) {
  const InL2 l2 = in_l2(lanes, past_l1(hits), gpu);
  Request request;
  request.latency =
      kind == AccessKind::store ? 0 : average_access_cycles(with_l2(past_l1(hits), l2.hit), gpu);
  request.l2_bytes = static_cast<double>(*lanes.bulk_bytes);
  request.dram_bytes = request.l2_bytes * l2.dram_bytes();
  request.dram_share = kind == AccessKind::store ? 0 : 1 - l2.hit;
  request.dram_written = kind == AccessKind::load ? l2.written_share() : 1;
  request.sectors = static_cast<std::uint32_t>(*lanes.bulk_bytes / gpu.l1.sector_bytes);
  request.writes = kind != AccessKind::load;
  request.ends_with_last_byte = true;
  return request;
}

} // namespace

double average_access_cycles(const HitRates& hits, const configs::Gpu& gpu, double least) {
  const auto [l1, l2, dram] = latencies_of_levels(hits, gpu, least);
  return hits.l1 * l1 + (1 - hits.l1) * (hits.l2 * l2 + (1 - hits.l2) * dram);
}

double shared_wavefronts(AccessKind kind, const LaneAddresses& lanes, const configs::Gpu& gpu) {
  if (kind == AccessKind::atomic)
    return shared_atomic_wavefronts(lanes, gpu.shared);
  const bool packs_pairs = kind == AccessKind::load && gpu.compute_capability_major >= 7;
  return shared_wavefronts(lanes, gpu.shared, packs_pairs);
}

Request make_request(MemorySpace space, AccessKind kind, const LaneAddresses& lanes, const HitRates& hits,
                     const configs::Gpu& gpu) {
  if (lanes.bulk_bytes)
    return space == MemorySpace::shared ? on_chip(gpu.shared.latency, 1) : bulk(kind, lanes, hits, gpu);
  if (lanes.mask == 0)
    return of_no_lane(space, kind, gpu);
  switch (space) {
  case MemorySpace::shared:
    return in_shared(kind, lanes, gpu);
  case MemorySpace::constant:
    return constant(lanes, hits, gpu);
  case MemorySpace::texture:
    // The texture path's own latency replaces a hit's; misses go on below as any load's do.
    return cached_load(lanes, hits, gpu, gpu.texture_latency);
  case MemorySpace::global:
  case MemorySpace::local:
    return global(kind, lanes, hits, gpu);
  }
  assert(false && "every space is handled");
  return {};
}

Request make_split_request(MemorySpace space, AccessKind kind, const LaneAddresses& lanes,
                           const HitRates& hits, const configs::Gpu& gpu) {
  Request request = make_request(space, kind, lanes, hits, gpu);
  const bool through_l1 =
      space == MemorySpace::global || space == MemorySpace::local || space == MemorySpace::texture;
  const bool some_constants_miss = space == MemorySpace::constant && hits.constant_miss > 0;
  if (request.wavefronts == 0 || (!through_l1 && !some_constants_miss) || kind == AccessKind::store)
    return request;
  HitRates near = kind == AccessKind::atomic || lanes.bulk_bytes ? past_l1(hits) : hits;
  if (some_constants_miss)
    near = of_constants(hits);
  const double bytes = double{1} * request.sectors * gpu.l1.sector_bytes;
  const double least = space == MemorySpace::texture ? gpu.texture_latency : 0;
  const InL2 l2 = in_l2(lanes, near, gpu);
  const double turns = kind == AccessKind::atomic ? wait_for_turns(lanes, gpu) : 0;
  const auto [at_l1, at_l2, at_dram] = latencies_of_levels(near, gpu, least);
  const double missed = 1 - near.l1;
  if (kind == AccessKind::load && missed > 0) { // what misses does so whole
    request.turns /= missed;
    request.hottest_turns /= missed;
  }
  const double misses = 1 - l2.hit;
  const auto [by_misses, by_all] = written_for(l2, gpu);
  request.levels = {
      ServedBy{near.l1, some_constants_miss ? gpu.constant_latency : at_l1, 0, 0},
      ServedBy{missed * l2.hit, at_l2 + turns, bytes, bytes * by_all},
      ServedBy{missed * misses, at_dram + turns, bytes, bytes * (l2.fetched + by_misses + by_all)}};
  return request;
}

} // namespace kerncast::memory_model
