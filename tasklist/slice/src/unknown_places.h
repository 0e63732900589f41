// Where accesses lie whose places depend on unknown data, for whoever needs places.
//
// All lanes and warps of one origin get the same place, which is arbitrary within what the buffer leaves: the
// known parts of all addresses, which are looked at first, must lie in it. Pointers that are themselves
// unknown lead to buffers of their own.
#pragma once

#include <vector>

#include "related_lanes.h"
#include "tasklist/launch.h"
#include "warp/access_patterns.h"

namespace kerncast::slice {

class UnknownPlaces {
public:
  UnknownPlaces(const Program& program, const tasklist::Launch& launch);

  // The extent in which the known parts of all these lanes' addresses lie; empty if there is none.
  AddressExtent extent_of(LaneMask lanes, const Lanes<std::uint64_t>& addresses) const;
  // The known parts of an access's addresses.
  void look_at(std::uint32_t access, const RelatedLanes& related, const Lanes<std::uint64_t>& addresses);
  // Adds what is not known.
  void place(std::uint32_t access, const RelatedLanes& related, Lanes<std::uint64_t>& addresses) const;

private:
  struct Reach {
    std::uint64_t lowest = UINT64_MAX, highest = 0; // of known parts
  };
  AddressExtent extent_around(std::uint64_t address) const;
  std::uint64_t distance(std::uint32_t access, Origin origin, std::uint64_t address) const;

  const Program& program_;
  std::vector<std::uint64_t> buffer_bytes_; // by number
  std::vector<Reach> reaches_;              // by access
};

} // namespace kerncast::slice
