// Which accesses of a kernel are to different places for certain.
#pragma once

#include <cstdint>
#include <vector>

#include "program_facts.h"

namespace kerncast::lowering {

struct AccessPlace {
  std::uint32_t base = no_id; // no_id: nothing to tell
  std::uint32_t offset = 0;   // bytes behind the lowest access with that base
};

// By op. Only bases that accesses to several places have, of which one writes.
std::vector<AccessPlace> find_access_places(const Program& program, const ProgramFacts& facts);

} // namespace kerncast::lowering
