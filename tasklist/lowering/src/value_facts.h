// What passes ask about values: who writes them, how often, and whether the one writer comes before every
// reader on all paths ("settled": then the name stands for one result, as in SSA form).
#pragma once

#include <vector>

#include "program.h"
#include "tasklist/control_flow.h"

namespace kerncast::lowering {

struct ValueFact {
  std::uint32_t writer = no_id; // the last op that writes it, no_id: none
  std::uint32_t definition_count = 0;
  bool is_settled = false;
};

class ValueFacts {
public:
  ValueFacts(const Program& program, const tasklist::ControlFlow& flow);

  const ValueFact& of(ValueId value) const { return facts_[value]; }

private:
  void count_definitions(const Program& program);
  void check_readers(const Program& program, const tasklist::DominatorTree& dominators);

  std::vector<ValueFact> facts_; // by value
};

} // namespace kerncast::lowering
