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
  std::uint32_t before = no_id; // the writers before the last one: in ValueFacts' chains
  bool is_settled = false;
};

class ValueFacts {
public:
  ValueFacts(const Program& program, const tasklist::ControlFlow& flow);

  const ValueFact& of(ValueId value) const { return facts_[value]; }

  // Calls f(op) for all ops that write the value, from the last to the first.
  template <class F> void for_each_writer(ValueId value, F&& f) const {
    const ValueFact& fact = facts_[value];
    if (fact.writer != no_id) {
      f(fact.writer);
    }
    for (std::uint32_t i = fact.before; i != no_id; i = links_[i].before) {
      f(links_[i].op);
    }
  }

private:
  // Most values have one writer; the others' are chained.
  struct Link {
    std::uint32_t op = no_id;
    std::uint32_t before = no_id; // of the same value, in links_
  };
  void count_definitions(const Program& program);
  void check_readers(const Program& program, const tasklist::DominatorTree& dominators);

  std::vector<ValueFact> facts_; // by value
  std::vector<Link> links_;
};

} // namespace kerncast::lowering
