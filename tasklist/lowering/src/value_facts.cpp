#include "value_facts.h"

namespace kerncast::lowering {

ValueFacts::ValueFacts(const Program& program, const tasklist::ControlFlow& flow)
    : definition_count(program.value_classes.size(), 0), writer(program.value_classes.size(), no_id) {
  count_definitions(program);
  check_readers(program, flow.dominators);
}

void ValueFacts::count_definitions(const Program& program) {
  for (std::uint32_t op = 0, count = program.op_count(); op < count; ++op) {
    for (const ValueId value : program.definitions_of(program.ops[op])) {
      ++definition_count[value];
      writer[value] = op;
    }
  }
  settled.resize(definition_count.size());
  for (std::size_t value = 0; value < settled.size(); ++value) {
    settled[value] = definition_count[value] == 1 ? 1 : 0;
  }
}

void ValueFacts::check_readers(const Program& program, const tasklist::DominatorTree& dominators) {
  for (std::uint32_t op = 0, count = program.op_count(); op < count; ++op) {
    for (const Use& use : program.uses_of(program.ops[op])) {
      if (use.value == no_id || settled[use.value] == 0) {
        continue;
      }
      const std::uint32_t from = writer[use.value];
      const auto from_block = program.block_of[from], to_block = program.block_of[op];
      const bool before = from_block == to_block ? from < op : dominators.dominates(from_block, to_block);
      settled[use.value] = before ? 1 : 0;
    }
  }
}

} // namespace kerncast::lowering
