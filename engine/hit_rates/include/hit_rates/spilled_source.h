// The accesses of a launch with those of spilled registers in their places.
//
// The code says between which accesses of the launch a value is stored and loaded again (src/spills.h of
// tasklist/machine). Every warp has a part of local memory for them behind that of its own local variables.
// Left out: spills of branches that a warp does not take are taken to be done, those of a loop without other
// accesses to be done once; all lanes are active.
#pragma once

#include <memory>

#include "machine/program.h"
#include "tasklist/cta_accesses.h"
#include "tasklist/tasklist.h"

namespace kerncast::hit_rates {

// What the rates of an access are those of: its task; of spills, which have none, two numbers behind the
// tasklist's own, one for loads and one for stores.
inline tasklist::TaskId task_of(const machine::MachineOp& op, const tasklist::Tasklist& list) {
  if (!op.is_spill)
    return op.task;
  return static_cast<tasklist::TaskId>(list.tasks.size()) +
         (op.task_kind == tasklist::TaskKind::store ? 1 : 0);
}

// `source` itself where the program spills nothing.
std::unique_ptr<tasklist::AccessSource> with_spills(std::unique_ptr<tasklist::AccessSource> source,
                                                    const tasklist::Tasklist& list,
                                                    const machine::MachineProgram& program);

} // namespace kerncast::hit_rates
