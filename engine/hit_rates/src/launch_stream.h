// The accesses of a run of CTAs in the order in which a GPU could do them: every SM holds its resident CTAs,
// and in turn each SM does one access: of a warp until that waits, then of its next one.
#pragma once

#include <cstdint>
#include <vector>

#include "tasklist/cta_accesses.h"

namespace kerncast::hit_rates {

struct StreamedAccess {
  std::uint32_t sm = 0;
  tasklist::TaskId task = 0;
  std::uint32_t pattern = 0;
  std::uint64_t address = 0;
};

class LaunchStream {
public:
  // Of local memory every warp that can be resident has its own part of `local_bytes`.
  LaunchStream(tasklist::AccessSource& source, std::uint32_t sms, std::uint32_t ctas_per_sm,
               std::uint32_t warps_per_cta, std::uint64_t local_bytes);

  // Starts CTAs [first, first + count); CTAs before them have ended.
  void start(std::uint64_t first, std::uint64_t count);
  // The next access; false when all CTAs have ended.
  bool next(StreamedAccess& access);
  std::uint64_t ctas_to_start() const { return end_cta_ - next_cta_; }

private:
  // A CTA that is resident.
  struct Slot {
    tasklist::PlacedTrace placed;
    std::uint32_t warps = 0; // with accesses left
  };
  struct Warp {
    const tasklist::TracedAccess* next = nullptr;
    const tasklist::TracedAccess* end = nullptr;
    std::uint32_t slot = 0;
    std::uint64_t local_offset = 0; // bytes
  };
  struct Sm {
    std::vector<Warp> warps; // with accesses left
    std::vector<Slot> slots;
    std::size_t turn = 0;
  };
  void place_next(std::uint32_t sm, std::uint32_t slot);
  void end_warp(std::uint32_t sm, std::size_t warp);

  tasklist::AccessSource& source_;
  std::uint32_t ctas_per_sm_;
  std::uint32_t warps_per_cta_;
  std::uint64_t local_bytes_;
  std::vector<Sm> sms_;
  std::size_t turn_ = 0;         // SM
  std::uint64_t active_sms_ = 0; // with accesses left
  std::uint64_t next_cta_ = 0, end_cta_ = 0;
};

} // namespace kerncast::hit_rates
