// The accesses of a launch by lines, CTA by CTA as they start: for whoever simulates caches together with
// time.
//
// Only the accesses of resident CTAs are kept, and traces that CTAs share once. The k-th execution of a
// memory task by a warp is the k-th access of that task in the warp's trace, in whatever order the machine
// program has the tasks. Left out: constants, whose caches are the rates', and bulk copies.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "caches/sectored_cache.h"
#include "configs/gpu.h"
#include "machine/program.h"
#include "tasklist/cta_accesses.h"
#include "tasklist/launch.h"
#include "tasklist/tasklist.h"

namespace kerncast::hit_rates {

struct TouchedLine;

inline constexpr std::uint64_t no_address = UINT64_MAX;

// Sectors of one line of L1.
struct LineAccess {
  std::uint64_t line = 0;          // address / line size
  caches::SectorMask touched = 0;  // some byte
  caches::SectorMask complete = 0; // every byte
  caches::PartMask parts = 0;      // some byte
  // Of atomics: the address that most of the access's lanes have, if it lies in the line.
  std::uint64_t most_wanted = no_address;
};

// What an operation of the machine program does to caches.
struct LineUse {
  bool by_lines = false; // else it has no lines to tell
  bool loads = false;    // atomics do both
  bool stores = false;
  bool through_l1 = false; // loads
};

// Numbers the accesses of a trace so that those of one task and warp can be taken one after the other.
struct TraceIndex {
  std::vector<std::uint32_t> first; // by warp and task: its first access
  std::vector<std::uint32_t> next;  // by access: the next one of the same warp and task
};

// A CTA that has started.
struct StartedCta {
  std::uint64_t number = 0;
  tasklist::PlacedTrace placed;
  std::shared_ptr<const TraceIndex> index;
  std::shared_ptr<const std::vector<tasklist::AccessPattern>> patterns;
};

// What the SMs of a process share; they may ask at the same time.
class LaunchLines {
public:
  static constexpr std::uint32_t none = UINT32_MAX;

  // `source` gives the same answers in any order (slice::TraceOptions::in_any_order). `gpu` must outlive the
  // object. `ctas_per_sm`: resident. `local_offset`: bytes by which its local memory lies behind that of
  // launches that run at the same time.
  LaunchLines(std::unique_ptr<tasklist::AccessSource> source, const tasklist::Tasklist& list,
              const machine::MachineProgram& program, const tasklist::Launch& launch,
              std::uint32_t ctas_per_sm, const configs::Gpu& gpu, std::uint64_t local_offset = 0);

  const configs::Gpu& gpu() const { return gpu_; }
  // What shared memory leaves of each SM's L1.
  std::uint64_t l1_bytes() const { return l1_bytes_; }
  std::uint32_t ctas_per_sm() const { return ctas_per_sm_; }
  std::uint32_t warps_per_cta() const { return warps_per_cta_; }
  // Where the local memory of a warp begins, counted through the GPU, behind that of the first one.
  std::uint64_t local_begin(std::uint64_t warp) const { return local_offset_ + warp * local_bytes_; }
  const LineUse& use_of(std::uint32_t op) const { return uses_[op]; }
  // Among the tasks that have lines.
  std::uint32_t task_number(std::uint32_t op) const { return task_numbers_[op]; }
  std::uint32_t tasks() const { return tasks_; }

  StartedCta start(std::uint64_t cta);

private:
  std::shared_ptr<const TraceIndex> index_of(const tasklist::PlacedTrace& placed);
  TraceIndex make_index(const tasklist::CtaTrace& trace) const;

  const configs::Gpu& gpu_;
  std::uint64_t l1_bytes_;
  std::uint32_t ctas_per_sm_;
  std::uint32_t warps_per_cta_;
  std::uint64_t local_bytes_; // of every warp that can be resident
  std::uint64_t local_offset_;
  std::vector<LineUse> uses_;                        // by operation
  std::vector<std::uint32_t> task_numbers_;          // likewise
  std::vector<std::uint32_t> number_of_traced_task_; // by TaskId
  std::uint32_t tasks_ = 0;
  std::mutex mutex_; // guards what follows
  std::unique_ptr<tasklist::AccessSource> source_;
  std::shared_ptr<const std::vector<tasklist::AccessPattern>> patterns_; // of the source, so far
  struct Indexed {
    std::weak_ptr<const tasklist::CtaTrace> trace;
    std::weak_ptr<const TraceIndex> index;
  };
  std::map<const tasklist::CtaTrace*, Indexed> indices_; // of traces in use
};

// What the CTAs of one SM access.
class SmLines {
public:
  SmLines(std::shared_ptr<LaunchLines> launch, std::uint32_t sm);
  ~SmLines();
  SmLines(SmLines&&) noexcept;

  // CTA `cta` of the grid takes the slot.
  void start(std::uint32_t slot, std::uint64_t cta);
  // The next execution of operation `op` by warp `warp`, which is slot * warps per CTA + its number in the
  // CTA. False if its addresses are not known: they depend on unknown data, or its trace was cut before.
  bool next(std::uint32_t warp, std::uint32_t op, std::vector<LineAccess>& lines);

private:
  struct Slot {
    StartedCta cta;
    std::vector<std::uint32_t> next; // by warp and task: access
  };
  void mark_most_wanted(const tasklist::AccessPattern& pattern, std::uint64_t address,
                        std::vector<LineAccess>& lines) const;
  void add_lines(const StartedCta& cta, std::uint32_t pattern, std::uint64_t address,
                 std::vector<LineAccess>& lines);
  void scatter(const tasklist::AccessPattern& pattern, std::uint64_t address, std::uint64_t seed,
               std::vector<LineAccess>& lines) const;

  std::shared_ptr<LaunchLines> launch_;
  std::uint32_t sm_;
  std::vector<Slot> slots_;
  // By pattern of the source and the address modulo the line size.
  std::unordered_map<std::uint64_t, std::vector<TouchedLine>> kept_;
};

} // namespace kerncast::hit_rates
