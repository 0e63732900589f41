// Where accesses lie of which the user has stated how lanes lie and in which buffer.
//
// Coalesced accesses stream: each warp goes on where the warps of the grid have been together. Others begin
// anywhere in the buffer.
#pragma once

#include <vector>

#include "branch_facts.h"
#include "tasklist/launch.h"
#include "warp/lane_file.h"
#include "warp_names.h"

namespace kerncast::slice {

// Bytes from lane to lane; not of scattered ones.
std::int64_t stride_of(const tasklist::AddressFact& fact, std::uint16_t bytes);

class StatedPlaces {
public:
  StatedPlaces(const tasklist::Launch& launch, std::size_t accesses)
      : warps_(launch.grid.count() * launch.warps_per_cta()), visits_(accesses) {}

  // Warp `number` of the grid.
  void start_warp(std::uint64_t number);
  // Of all lanes, by `bytes` each; not of scattered ones.
  void place(std::uint32_t access, std::uint16_t bytes, const tasklist::AddressFact& fact, BufferRange buffer,
             Lanes<std::uint64_t>& addresses);

private:
  std::uint64_t warps_;               // of the grid
  std::uint64_t warp_ = 0;            // of the grid
  std::vector<std::uint64_t> visits_; // by access, by the warp
};

} // namespace kerncast::slice
