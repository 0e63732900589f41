// Predicted hit rates: the caches of a described GPU, fed with the addresses of launches in their order.
//
// Every SM has an L1 and a cache of constants, which start each launch empty; L2 and the TLB are shared and
// keep their contents from launch to launch. CTAs go to the SMs as they are dispatched (CTA i first to SM i
// mod SMs, then one for one as they end), and every SM in turn does an access: of one warp as long as its
// accesses follow each other (TracedAccess::follows), then of the next one. Of a full set of L1 or L2 goes
// the line that `l1.replacement` or `l2.replacement` says, of constants and of the TLB the least recently
// used one.
//
// What bounds the cost, each named in the notes: only lines with a given hash are followed, in caches as much
// smaller (Waldspurger et al., SHARDS, FAST 2015, and miniature simulations, ATC 2017); of a long launch only
// the first and the last CTAs run, of long warps only the first accesses. Without any of it the result is
// that of simulating every access. Left out: time, copies from the host, prefetching, L2's partitions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "configs/gpu.h"
#include "memory_model/request.h"
#include "tasklist/cta_accesses.h"
#include "tasklist/launch.h"
#include "tasklist/tasklist.h"

namespace kerncast::hit_rates {

struct LaunchAccesses {
  tasklist::AccessSource& source;
  const tasklist::Tasklist& list;
  const tasklist::Launch& launch;
  std::uint32_t ctas_per_sm = 1; // resident
  std::uint32_t spill_bytes = 0; // of local memory per thread, behind the list's own (as_issued)
  std::vector<bool> one_lane =
      {}; // by task: of its lanes one accesses (machine::one_lane_tasks); empty: none
};

struct TaskRates {
  memory_model::HitRates rates;                // of all accesses
  std::vector<memory_model::HitRates> by_task; // by task_of(); tasks that were not seen have `rates`
};

// How far the rates may lie from the machine's: those of caches half and twice as large. The real order of
// accesses and replacement make caches act as smaller or larger ones; what streams or fits well is not
// touched by that.
struct HitBounds {
  TaskRates fewer;
  TaskRates more;
};

struct LaunchHits : TaskRates {
  std::optional<HitBounds> bounds; // with Effort::bounds
  bool partly_given = false;       // one level's rates are an oracle's
  std::vector<std::string> notes;  // what was sampled, left out or taken as missing
};

struct Effort {
  // Lines that the accesses of one launch touch, followed or not, at most; more are sampled.
  std::uint64_t lines_per_launch = 1U << 23;
  // One line in 2^sampling_shift is followed.
  std::uint32_t sampling_shift = 0;
  bool bounds = false; // LaunchHits::bounds are wanted
  // One in 2^bounds_shift of the lines that are followed counts for them.
  std::uint32_t bounds_shift = 0;
};

// Accesses of a warp worth tracing, so that one wave of CTAs stays within the effort.
std::uint64_t accesses_per_warp(const tasklist::Launch& launch, std::uint32_t ctas_per_sm,
                                const configs::Gpu& gpu, const Effort& effort);

// Lines that the launch's accesses touch, repetitions counted, estimated from a few of its CTAs.
double estimated_lines(const LaunchAccesses& launch, const configs::Gpu& gpu);

// Lines of which these L2s keep something at the same time, at most: of L2s that differ in size only, and are
// fully associative with the least recently used line to go, those of the largest.
std::uint64_t lines_kept(std::span<const configs::Cache> l2s);

class DeviceCaches {
public:
  // `gpu` must outlive the object.
  DeviceCaches(const configs::Gpu& gpu, const Effort& effort);
  // With each of these L2s in place of the GPU's own: what L1s let through is found once for all of them.
  // Those that one counts once in lines_kept() take little longer than it, without bounds.
  DeviceCaches(const configs::Gpu& gpu, const Effort& effort, std::span<const configs::Cache> l2s);
  ~DeviceCaches();
  DeviceCaches(DeviceCaches&&) noexcept;
  DeviceCaches& operator=(DeviceCaches&&) noexcept;

  // The launch's hits, after all launches before it.
  LaunchHits run(const LaunchAccesses& launch);
  // The same by L2, each as if it were the only one.
  std::vector<LaunchHits> run_with_each_l2(const LaunchAccesses& launch);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace kerncast::hit_rates
