#include "copies.h"
#include "passes/passes.h"
#include "passes/redirection.h"

namespace kerncast::lowering {

void propagate_copies(Program& program, const ValueFacts& facts) {
  Redirection redirection(program, facts);
  redirection.scan([&](std::uint32_t op) {
    if (!is_copy(program, op)) {
      return;
    }
    const auto results = program.definitions_of(program.ops[op]);
    for (std::uint32_t i = 0; i < results.size(); ++i) {
      const ValueId source = copy_source(program, op, i);
      if (redirection.allowed(op, results[i], source)) {
        redirection.redirect(results[i], source);
      }
    }
  });
  redirection.apply();
}

} // namespace kerncast::lowering
