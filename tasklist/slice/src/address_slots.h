// The slots from which addresses of accesses are computed, by whatever operations. Only of these does anybody
// ask what their unknown lanes have in common (origins.h).
#pragma once

#include <array>
#include <vector>

#include "warp/program.h"
#include "warp_names.h"

namespace kerncast::slice {

class AddressSlots {
public:
  explicit AddressSlots(const Program& program);

  bool contains(SlotId slot) const { return pools_[static_cast<std::size_t>(slot.pool)][slot.index]; }

private:
  bool add(SlotId slot);

  std::array<std::vector<bool>, 4> pools_; // by Pool; Pool::none has one slot, which is none
};

} // namespace kerncast::slice
