#include "passes/passes.h"

namespace kerncast::lowering {

void clean_up(Program& program, const ProgramFacts& facts, const LowerOptions& options) {
  if (options.propagate_copies) {
    propagate_copies(program, facts.values);
  }
  if (options.fold_addresses) {
    fold_addresses(program, facts.values, facts.known); // before constants: the base may be a parameter
  }
  if (options.fold_constants) {
    fold_constants(program, facts.values, facts.known);
  }
  if (options.share_arithmetic) {
    share_arithmetic(program, facts.values, facts.flow.dominators);
  }
  if (options.remove_dead_code) {
    remove_dead_code(program, facts);
    remove_empty_branches(program);
  }
  move_call_parameters(program);
}

} // namespace kerncast::lowering
