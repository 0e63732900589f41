// Which registers hold the same, because the same operation writes them from the same: copies of a loop's
// body compute anew what does not change from trip to trip. (passes/share_arithmetic.cpp later has them
// compute it once; here nothing changes, so that what is asked about may be rewritten.)
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "program.h"
#include "tasklist/id_table.h"
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
  // What a register is computed from: numbers, and registers where the bit in `registers` is set.
  struct Computation {
    std::uint32_t operation = 0;
    std::uint32_t registers = 0;
    std::array<std::uint64_t, 3> operands{};
    bool operator==(const Computation&) const = default;
  };

  ptx::RegisterId first_of(ptx::RegisterId r, std::uint32_t depth);
  std::optional<Computation> computation_of(ptx::RegisterId r, std::uint32_t depth);

  const Program& program_;
  const ValueFacts& facts_;
  std::vector<ptx::RegisterId> first_of_; // by value; no_id: not asked for
  std::vector<Computation> computed_;     // by number
  std::vector<ptx::RegisterId> results_;  // by number: the first one
  tasklist::IdTable numbers_;
};

} // namespace kerncast::lowering
