// What warps do, in the blocks that a machine program executes together.
#pragma once

#include <optional>

#include "machine/program.h"
#include "tasklist/behaviour.h"

namespace kerncast::machine {

// A visit of a head (JoinedBlock) has its own accesses and those of the visits of joined blocks that follow,
// which have none any more; those of a block that is not visited there, a body that all lanes skip, are
// accesses of no lane. Visits keep their numbers; heads with others' accesses get numbers behind them.
// Nothing where the program has no joined blocks.
std::optional<tasklist::LaunchBehaviour> joined_visits(const tasklist::LaunchBehaviour& behaviour,
                                                       const MachineProgram& program);

} // namespace kerncast::machine
