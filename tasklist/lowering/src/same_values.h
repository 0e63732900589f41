// Which registers hold the same, because the same operation writes them from the same: copies of a loop's
// body compute anew what does not change from trip to trip.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "program.h"
#include "value_facts.h"

namespace kerncast::lowering {

class SameValues {
public:
  SameValues(const Program& program, const ValueFacts& facts)
      : program_(program), facts_(facts), first_of_(program.value_classes.size(), no_id) {}

  // The first register that was asked for, here or on the way, and holds what `r` does. Followed through
  // settled results of plain integer arithmetic, eight operations deep.
  ptx::RegisterId first_of(ptx::RegisterId r) { return first_of(r, 8); }

private:
  ptx::RegisterId first_of(ptx::RegisterId r, std::uint32_t depth);
  ptx::RegisterId find(ptx::RegisterId r, std::uint32_t depth);

  const Program& program_;
  const ValueFacts& facts_;
  std::vector<ptx::RegisterId> first_of_;                          // by value; no_id: not asked for
  std::map<std::vector<std::uint64_t>, ptx::RegisterId> computed_; // by operation and operands
};

} // namespace kerncast::lowering
