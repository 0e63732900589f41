// The L1 of one SM, where addresses are known: what its warps' accesses find there, and which of them wait
// for what is on its way.
//
// A sector is in L1 from the load on that misses it; who hits it before its data are there waits for them, no
// shorter than L1 takes. What misses, stores and atomics leave for L2 by lines. Kept is what is resident, in
// L1 or under way.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "caches/sectored_cache.h"
#include "engine/known_accesses.h"
#include "hit_rates/cache_lines.h"
#include "hit_rates/line_accesses.h"
#include "kernels.h"

namespace kerncast::pdes {

// Sectors of a line of L2 that an access asks for or writes.
struct LineRequest {
  std::uint64_t line = 0;
  caches::SectorMask sectors = 0;
  caches::PartMask parts = 0;                        // of stores
  std::uint32_t fetch = UINT32_MAX;                  // that its data end; none for stores
  std::uint64_t most_wanted = hit_rates::no_address; // LineAccess::most_wanted
};

// Things that come and go; numbers are used again.
template <class T> class Numbered {
public:
  std::uint32_t take() {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(things_.size()));
      things_.emplace_back();
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }
  void free(std::uint32_t number) { free_.push_back(number); }
  T& operator[](std::uint32_t number) { return things_[number]; }

private:
  std::vector<T> things_;
  std::vector<std::uint32_t> free_;
};

class SmL1 final : public engine::KnownAccesses {
public:
  // Of kernels of which some have lines; all arguments outlive the object. Several kernels have an L1 as that
  // of them has alone that needs most shared memory.
  SmL1(const Kernels& kernels, const engine::SmWorkload& workload, std::uint32_t sm);

  // CTA `cta` of its kernel's grid, of workload.kinds[kind], takes the slot.
  void start_cta(std::uint32_t slot, std::uint32_t kind, std::uint64_t cta);
  void end_cta(std::uint32_t slot);
  Found look_up(std::uint32_t warp, std::uint32_t op, Time start) override;
  void await(std::uint32_t access, std::uint32_t number) override;

  // Of an access that leaves the SM; one that nobody waits for is over then.
  struct Departure {
    bool loads = false;
    bool stores = false;
    std::vector<LineRequest> lines;
  };
  Departure depart(std::uint32_t access);

  // An access whose last data have come.
  struct Done {
    std::uint32_t number = 0; // of the miss
    Time at = 0;
  };
  // The data of a fetch are there at `at`; adds the accesses that are done then or later.
  void arrive(std::uint32_t fetch, Time at, std::vector<Done>& done);
  // Nothing looks up before `time` any more.
  void forget_before(Time time);

  const CacheCounts& counts() const { return counts_; }

private:
  static constexpr std::uint32_t none = UINT32_MAX;

  struct Access {
    bool loads = false;
    bool stores = false;
    std::vector<LineRequest> lines; // that leave the SM
    std::uint32_t waits = 0;        // fetches
    std::uint32_t number = none;    // of the miss
    Time earliest = 0;              // that it is done
  };
  struct Fetch {
    std::uint64_t line = 0; // of L1
    caches::SectorMask sectors = 0;
    bool into_l1 = false;
    Time arrived = never;
    std::uint32_t next = none;          // of the same line
    std::vector<std::uint32_t> waiting; // accesses
  };
  struct Sought { // by the access at hand
    std::uint32_t access = none;
    Time at = 0;
    double bytes = 0; // that leave the SM
  };

  void load(const hit_rates::LineAccess& wanted, bool through_l1, Time start, Sought& sought);
  void store(const hit_rates::LineAccess& written, bool is_atomic, Sought& sought);
  void wait_for_coming(std::uint64_t line, caches::SectorMask sectors, Time start, Sought& sought);
  void fetch(std::uint64_t line, caches::SectorMask sectors, bool into_l1, Sought& sought,
             std::uint64_t most_wanted = hit_rates::no_address);
  Access& access_of(Sought& sought);
  void free_access(std::uint32_t number);
  void unlink(std::uint32_t number);

  // What CTAs of one kernel access. It knows them by slots of its own, as many as are resident.
  struct Launch {
    const hit_rates::LaunchLines* lines = nullptr; // null: no addresses
    std::optional<hit_rates::SmLines> of_sm;
    std::uint32_t first_op = 0;
    Numbered<std::uint8_t> slots;
  };
  struct Slot {
    std::uint32_t kernel = 0;
    std::uint32_t own = 0; // of its kernel's
  };

  const configs::Gpu& gpu_;
  const Kernels& kernels_;
  const engine::SmWorkload& workload_;
  std::uint32_t warps_per_slot_;
  std::vector<Launch> launches_;         // by kernel
  std::vector<Slot> slots_;              // of CTAs that run
  std::vector<std::uint32_t> own_warps_; // by warp of the SM: which of its kernel's it is
  caches::SectoredCache l1_;
  hit_rates::LinesOfL2 lines_of_l2_;
  std::uint32_t sector_bytes_; // of L1
  Time l1_latency_;
  std::vector<hit_rates::LineAccess> found_; // by the access at hand
  Numbered<Access> accesses_;
  Numbered<Fetch> fetches_;
  std::unordered_map<std::uint64_t, std::uint32_t> coming_; // by line of L1: its first fetch
  std::vector<std::uint32_t> arrived_;                      // fetches, since something was forgotten
  CacheCounts counts_;
};

} // namespace kerncast::pdes
