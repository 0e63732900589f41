#include "value_facts.h"

namespace kerncast::lowering {

ValueFacts::ValueFacts(const Program& program, const tasklist::ControlFlow& flow)
    : facts_(program.value_classes.size()) {
  count_definitions(program);
  check_readers(program, flow.dominators);
}

// A value that one op writes is settled until a reader is found that it does not come before.
void ValueFacts::count_definitions(const Program& program) {
  for (std::uint32_t op = 0, count = program.op_count(); op < count; ++op) {
    for (const ValueId value : program.definitions_of(program.ops[op])) {
      ValueFact& fact = facts_[value];
      if (fact.writer != no_id) {
        links_.push_back({fact.writer, fact.before});
        fact.before = static_cast<std::uint32_t>(links_.size() - 1);
      }
      fact.writer = op;
      fact.is_settled = ++fact.definition_count == 1;
    }
  }
}

void ValueFacts::check_readers(const Program& program, const tasklist::DominatorTree& dominators) {
  for (const Use& use : program.uses) {
    ValueFact& fact = facts_[use.value];
    if (!fact.is_settled) {
      continue;
    }
    const tasklist::BlockId from = program.block_of[fact.writer], block = program.block_of[use.reader];
    fact.is_settled = from == block ? fact.writer < use.reader : dominators.dominates(from, block);
  }
}

} // namespace kerncast::lowering
