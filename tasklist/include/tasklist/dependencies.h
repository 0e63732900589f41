// Which tasks' results may reach each task: reaching definitions of values over blocks and loop back edges.
#pragma once

#include "tasklist/control_flow.h"
#include "tasklist/tasklist.h"

namespace kerncast::tasklist {

// Fills Task::dependencies and the dependency pool from definitions, uses, blocks and successors. A use
// that no definition reaches (a parameter, an undefined register) adds nothing. A predicated task that
// lists its destination among its uses depends on the earlier writer too, so that it acts as a select.
void compute_dependencies(Tasklist& list);
// `flow` is that of the list's blocks.
void compute_dependencies(Tasklist& list, const ControlFlow& flow);

} // namespace kerncast::tasklist
