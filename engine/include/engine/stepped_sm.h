// One SM that is simulated piece by piece, its CTAs and what it misses looked after by somebody else: the
// scheduler of CTAs, L2 and DRAM of a whole GPU.
//
// It is the SM of simulate_sm: instructions, schedulers, units, barriers, the ports of L1, the limit of
// misses under way and the link to L2 are the same. The shares of L2 and DRAM that its config may state are
// not used.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/known_accesses.h"
#include "engine/sm_time.h"
#include "engine/sm_workload.h"

namespace kerncast::engine {

// That a simulated scheduler can have, whatever the GPU's: bits of one word.
inline constexpr std::uint32_t max_warps_per_sub_core = 64;

// An access on its way from the SM to L2.
struct SmMiss {
  static constexpr std::uint32_t unawaited = UINT32_MAX;
  static constexpr std::uint32_t by_rates = UINT32_MAX;

  Time departs = 0;
  Time latency = 0;         // from there until the data are back if nothing else is under way
  std::uint32_t number = 0; // for SteppedSm::arrive; unawaited: nobody waits for it
  bool writes = false;      // l2_bytes go to L2 with it
  double l2_bytes = 0;
  double dram_bytes = 0;
  std::uint32_t access = by_rates; // of KnownAccesses: then latency and dram_bytes are not decided
  std::uint32_t request = 0;       // in SmProgram::requests
};

struct EndedCta {
  Time end = 0;
  std::uint32_t slot = 0;
};

// Of the slots for CTAs: what the warps of the CTAs of all kinds are multiples of. Those of one kernel have
// equally many. A CTA of more has the slots behind its own, too.
std::uint32_t warps_per_slot(const SmWorkload& workload);

class SteppedSm {
public:
  // Of `workload`, which must outlive the SM, the list of CTAs is not used: `place` says what runs. `number`:
  // SMs of different numbers do not hit and miss in step.
  // `known`: decides which accesses hit; it outlives the SM; null: rates decide about all of them.
  SteppedSm(const SmWorkload& workload, std::uint32_t number, KnownAccesses* known = nullptr);
  ~SteppedSm();
  SteppedSm(SteppedSm&&) noexcept;
  SteppedSm& operator=(SteppedSm&&) noexcept;

  // At `at`, which is not over, a CTA of workload.kinds[kind] takes a slot that is free by then; it issues
  // first at `begin`. Called in the order of these times.
  void place(std::uint32_t slot, std::uint32_t kind, Time at, Time begin);
  // The data of a miss are there at `at`, which is not over; called in the order of these times.
  void arrive(std::uint32_t number, Time at);
  // Simulates all cycles before `end`.
  void run_until(std::int64_t end);
  // The next cycle in which anything happens, if nothing arrives; INT64_MAX if nothing does.
  std::int64_t next_cycle() const;

  // What left, and which CTAs ended or are known to end, since the lists were cleared.
  std::vector<SmMiss>& misses();
  std::vector<EndedCta>& ended();

  SmResult result() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace kerncast::engine
