// Which accesses of a kernel are to different places for certain.
#pragma once

#include <cstdint>
#include <vector>

#include "program_facts.h"

namespace kerncast::lowering {

struct AccessPlace {
  std::uint32_t op = 0;
  std::uint32_t base = 0;
  std::uint32_t offset = 0; // bytes behind the lowest access with that base
};

// In the order of the ops; only of bases that accesses to several places have, of which one writes.
std::vector<AccessPlace> find_access_places(const Program& program, const ProgramFacts& facts);

} // namespace kerncast::lowering
