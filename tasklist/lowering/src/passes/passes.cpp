#include "passes/passes.h"

namespace kerncast::lowering {

void clean_up(Program& program, const tasklist::ControlFlow& flow) {
  ValueFacts facts(program, flow);
  propagate_copies(program, facts);
  fold_addresses(program, facts); // before constants: the base may be a parameter
  fold_constants(program, facts);
  remove_dead_code(program);
  move_call_parameters(program);
}

} // namespace kerncast::lowering
