// What passes and rewrites ask about a program as it was read: the same until one of them changes it.
#pragma once

#include "known_values.h"
#include "tasklist/control_flow.h"
#include "value_facts.h"

namespace kerncast::lowering {

struct ProgramFacts {
  explicit ProgramFacts(const Program& program)
      : flow(program.blocks), values(program, flow), known(program, values), loops(find_loops(flow)) {}

  tasklist::ControlFlow flow;
  ValueFacts values;
  KnownValues known;
  std::vector<tasklist::Loop> loops;
};

} // namespace kerncast::lowering
