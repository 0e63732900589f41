// Values that lie in neighbouring registers, since one access moves them: a vector's elements, a texel's
// parts. They begin at a multiple of what they take together, up to four registers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "draft.h"

namespace kerncast::machine {

struct RegisterTuples {
  std::vector<std::vector<VirtualRegister>> tuples;
  std::vector<std::uint32_t> of; // by virtual register: index into tuples, or no_id

  std::span<const VirtualRegister> around(VirtualRegister r) const {
    return of[r] == tasklist::no_id ? std::span<const VirtualRegister>() : tuples[of[r]];
  }
};

// A value is in the tuple of the first access that moves it; those that others want elsewhere are copied,
// which is left out. `widths` are those of value_widths().
RegisterTuples find_register_tuples(const Draft& draft, std::span<const std::uint8_t> widths);

} // namespace kerncast::machine
