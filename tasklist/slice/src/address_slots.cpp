#include "address_slots.h"

#include <ranges>

namespace kerncast::slice {

AddressSlots::AddressSlots(const Program& program) {
  pools_[static_cast<std::size_t>(Pool::none)].resize(1);
  pools_[static_cast<std::size_t>(Pool::predicate)].resize(program.slots.predicates);
  pools_[static_cast<std::size_t>(Pool::word)].resize(program.slots.words);
  pools_[static_cast<std::size_t>(Pool::longword)].resize(program.slots.longs);
  for (const warp::AccessStep& access : program.accesses)
    add(access.base);
  // Backwards, as most operations stand behind what they read; again for those of loops.
  for (bool again = true; again;) {
    again = false;
    for (const MicroOp& op : std::views::reverse(program.ops))
      for (std::uint32_t s = 0; s < op.source_count && contains(op.destination); ++s)
        again = add(op.sources[s]) || again;
  }
}

// Whether it is a new one.
bool AddressSlots::add(SlotId slot) {
  if (slot.pool == Pool::none || contains(slot))
    return false;
  pools_[static_cast<std::size_t>(slot.pool)][slot.index] = true;
  return true;
}

} // namespace kerncast::slice
