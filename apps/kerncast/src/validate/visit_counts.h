// How often the warps of a launch visit its blocks, and where their lanes go on.
#pragma once

#include <vector>

#include "machine/program.h"
#include "tasklist/behaviour.h"
#include "tasklist/tasklist.h"

namespace kerncast::app {

struct VisitCounts {
  double times = 0; // by warps
  double taken = 0; // lanes that go on at the target of the block's branch
  double ended = 0; // lanes that go on nowhere
};

// By visit of `executed`, which machine::ExecutedBehaviour gives. A lane goes on where its warp's path has it
// next.
std::vector<VisitCounts> count_visits(const tasklist::LaunchBehaviour& executed,
                                      const tasklist::Tasklist& list, const machine::MachineProgram& program);

} // namespace kerncast::app
