// What warps do, as a machine program executes it.
#pragma once

#include <optional>

#include "machine/joined_visits.h"
#include "machine/trip_groups.h"

namespace kerncast::machine {

// Both outlive the object.
class ExecutedBehaviour {
public:
  ExecutedBehaviour(const tasklist::LaunchBehaviour& behaviour, const MachineProgram& program)
      : plain_(behaviour), joined_(joined_visits(behaviour, program)),
        grouped_(grouped_trips(joined_ ? *joined_ : plain_, program)) {}

  const tasklist::LaunchBehaviour& get() const { return grouped_ ? *grouped_ : joined_ ? *joined_ : plain_; }

private:
  const tasklist::LaunchBehaviour& plain_;
  std::optional<tasklist::LaunchBehaviour> joined_, grouped_;
};

} // namespace kerncast::machine
