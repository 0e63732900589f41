// Clean-up passes: what every compiler does to PTX whatever the GPU. Each has its file; they run in the
// order below. They redirect and drop uses; dead_code then removes the ops whose results nobody reads.
#pragma once

#include "lowering/lower.h"
#include "program_facts.h"

namespace kerncast::lowering {

// Readers of a copy (mov, cvta, same-width integer cvt, call parameters) read the original.
void propagate_copies(Program& program, const ValueFacts& facts);

// Kernel parameters and immediates become operands: the constant bank and the instruction word hold them.
void fold_constants(Program& program, const ValueFacts& facts, const KnownValues& known);

// [base+constant] takes the place of constants in sums and products that compute nothing but addresses.
void fold_addresses(Program& program, const ValueFacts& facts, const KnownValues& known);

// Readers of what integer arithmetic has computed before read that; after constants, which make operands
// equal.
void share_arithmetic(Program& program, const ValueFacts& facts, const tasklist::DominatorTree& dominators);

// Ops without effect and without readers, and unreachable ones.
void remove_dead_code(Program& program, const ProgramFacts& facts);

// Branches to what follows, and blocks that only branch on; after dead code.
void remove_empty_branches(Program& program);

// What remains of call parameters is moves between registers, not memory accesses.
void move_call_parameters(Program& program);

// `facts` are those of the program before.
void clean_up(Program& program, const ProgramFacts& facts, const LowerOptions& options);

} // namespace kerncast::lowering
