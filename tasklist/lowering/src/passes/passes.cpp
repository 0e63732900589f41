#include "passes/passes.h"

namespace kerncast::lowering {

void clean_up(Program& program) {
  ValueFacts facts(program);
  propagate_copies(program, facts);
  fold_addresses(program, facts); // before constants: the base may be a parameter
  fold_constants(program, facts);
  remove_dead_code(program);
  move_call_parameters(program);
}

} // namespace kerncast::lowering
