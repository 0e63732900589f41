// The accesses of a launch as its machine code issues them: in the order of the code, with those of spilled
// registers in their places, and with where a warp waits between them.
//
// A warp waits where an operation needs what another one loads, from shared memory too, and at fences; up to
// there its accesses follow each other (TracedAccess::follows). Constants and parameters are there too soon
// to count, and at a barrier the warps of a CTA arrive soon after each other. A scheduler that goes round the
// warps at every instruction (lrr) lets others in between all the same.
//
// Spills: the code says between which accesses of the launch a value is stored and loaded again (src/spills.h
// of tasklist/machine). Every warp has a part of local memory for them behind that of its own local
// variables. Left out: from one block with accesses of the launch to the next, a warp is taken to have gone
// the shortest way, with the spills and the waits on it; all lanes are active.
#pragma once

#include <memory>
#include <string>

#include "configs/gpu.h"
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

// Whether a warp goes on until it waits.
bool keeps_warps(configs::SchedulerPolicy scheduler);

// Null of null. `list` must outlive the result.
std::unique_ptr<tasklist::AccessSource> as_issued(std::unique_ptr<tasklist::AccessSource> source,
                                                  const tasklist::Tasklist& list,
                                                  const machine::MachineProgram& program,
                                                  configs::SchedulerPolicy scheduler);

// The order of all accesses, and what they wait for: equal texts, equal orders.
std::string text_of_order(const tasklist::Tasklist& list, const machine::MachineProgram& program);

} // namespace kerncast::hit_rates
