// What warps do, in the groups of trips that a machine program executes together.
#pragma once

#include <optional>

#include "machine/program.h"
#include "tasklist/behaviour.h"

namespace kerncast::machine {

// Of the trips that a warp makes through a loop in a row, as many as there are whole groups of are visits of
// the group's block, the first trips first; the rest stays as it is. Masks of a group are those of its first
// trip; each access keeps its own. Visits keep their numbers, groups get numbers behind them.
// Nothing where the program has no groups. Left out: lanes that leave a loop before others of their warp end
// in trips of their own.
std::optional<tasklist::LaunchBehaviour> grouped_trips(const tasklist::LaunchBehaviour& behaviour,
                                                       const MachineProgram& program);

} // namespace kerncast::machine
