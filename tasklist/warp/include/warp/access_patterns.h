// Accesses as caches see them: the lowest active lane's address, and the other lanes relative to it. Equal
// patterns are stored once.
#pragma once

#include <optional>
#include <vector>

#include "tasklist/cta_accesses.h"
#include "warp/intern.h"
#include "warp/lane_file.h"
#include "warp/program.h"

namespace kerncast::warp {

// Global, local, generic and texture memory, and constants that may not all be in their cache; shared memory
// and parameters have no caches that could miss.
bool reaches_caches(const AccessStep& step);

// Where addresses lie, by multiples of `grain` behind the beginning; empty: nobody knows.
struct AddressExtent {
  std::uint64_t begin = 0, bytes = 0;
  std::uint64_t grain = 1;
};

class AccessPatterns {
public:
  static constexpr std::size_t default_max_patterns = 1U << 16;

  // More patterns than `max_patterns` (addresses that scatter) are taken as unknown, so that memory stays
  // bounded.
  explicit AccessPatterns(std::uint32_t address_bits, std::size_t max_patterns = default_max_patterns)
      : address_bits_(address_bits), max_patterns_(max_patterns) {}

  // `lanes` is not empty; addresses in local memory are interleaved by lane (warp::interleave). None for an
  // access that reaches no cache.
  std::optional<tasklist::TracedAccess> trace(const AccessStep& step, const Lanes<std::uint64_t>& addresses,
                                              LaneMask lanes);
  // Lanes lie somewhere in an extent.
  std::optional<tasklist::TracedAccess> trace_unknown(const AccessStep& step, LaneMask lanes,
                                                      AddressExtent in = {});

  // Whether that has happened.
  bool is_full() const { return is_full_; }

  const std::vector<tasklist::AccessPattern>& all() const { return patterns_; }
  // Leaves nothing behind.
  std::vector<tasklist::AccessPattern> take();

private:
  std::uint32_t id_of(const tasklist::AccessPattern& pattern);

  std::uint32_t address_bits_;
  std::size_t max_patterns_;
  bool is_full_ = false;
  std::vector<tasklist::AccessPattern> patterns_;
  IdTable ids_;
  std::uint32_t last_ = 0; // found: often the same again
};

} // namespace kerncast::warp
