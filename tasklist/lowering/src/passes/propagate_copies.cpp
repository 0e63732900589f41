#include "copies.h"
#include "passes/passes.h"
#include "passes/redirection.h"

namespace kerncast::lowering {

void propagate_copies(Program& program, const ValueFacts& facts) {
  Redirection redirection(program, facts);
  for (std::uint32_t op = 0, count = program.op_count(); op < count; ++op) {
    if (!is_copy(program, op)) {
      continue;
    }
    const auto results = program.definitions_of(program.ops[op]);
    for (std::uint32_t i = 0; i < results.size(); ++i) {
      redirection.add(op, results[i], copy_source(program, op, i));
    }
  }
  redirection.redirect([](std::size_t, ValueId) { return true; });
  redirection.apply();
}

} // namespace kerncast::lowering
