// Which registers of a loop body get a name of their own in every trip.
#pragma once

#include <unordered_map>
#include <vector>

#include "program.h"
#include "rewrite/complete_loops.h"

namespace kerncast::lowering {

enum class Naming : std::uint8_t {
  kept,            // written in part, under a guard, in some trips only, or read behind several exits
  per_trip,        // nobody reads it behind the loop
  until_last_trip, // the last write of the last trip keeps the name for what is behind the loop
};

struct LoopRegister {
  Naming naming = Naming::kept;
  std::uint32_t writes = 0; // in one trip
};

class RegisterReads {
public:
  explicit RegisterReads(const Program& program);
  // Registers that the loop writes; looked up only, never iterated for output.
  std::unordered_map<ptx::RegisterId, LoopRegister> written_in(const CompleteLoop& loop) const;

private:
  const Program& program_;
  std::vector<std::uint32_t> reads_, writes_; // by value, in the whole kernel
};

} // namespace kerncast::lowering
