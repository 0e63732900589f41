#include "passes/passes.h"

namespace kerncast::lowering {

void clean_up(Program& program, const tasklist::ControlFlow& flow, const LowerOptions& options) {
  ValueFacts facts(program, flow);
  const KnownValues known(program, facts);
  if (options.propagate_copies) {
    propagate_copies(program, facts);
  }
  if (options.fold_addresses) {
    fold_addresses(program, facts, known); // before constants: the base may be a parameter
  }
  if (options.fold_constants) {
    fold_constants(program, facts, known);
  }
  if (options.share_arithmetic) {
    share_arithmetic(program, facts, flow.dominators);
  }
  if (options.remove_dead_code) {
    remove_dead_code(program);
  }
  move_call_parameters(program);
}

} // namespace kerncast::lowering
