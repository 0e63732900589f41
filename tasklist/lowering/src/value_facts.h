// What passes ask about values: who writes them, how often, and whether the one writer comes before every
// reader on all paths ("settled": then the name stands for one result, as in SSA form).
#pragma once

#include <vector>

#include "program.h"
#include "tasklist/control_flow.h"

namespace kerncast::lowering {

struct ValueFacts {
  ValueFacts(const Program& program, const tasklist::ControlFlow& flow);

  std::vector<std::uint32_t> definition_count; // by value
  std::vector<std::uint32_t> writer;           // by value: the last op that writes it, no_id: none
  std::vector<std::uint8_t> settled;           // by value: 1 if it is

private:
  void count_definitions(const Program& program);
  void check_readers(const Program& program, const tasklist::DominatorTree& dominators);
};

} // namespace kerncast::lowering
