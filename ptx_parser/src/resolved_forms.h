// The operands of a row for the modifiers that a statement has.
#pragma once

#include <span>
#include <vector>

#include "syntax_table.h"

namespace kerncast::ptx {

// Types and vector lengths follow from the modifiers; cache policies and masks are there with their modifier
// and else left out.
std::vector<OperandForm> resolved_forms(const SyntaxTable& table, const Row& row,
                                        std::span<const Modifier> modifiers);

} // namespace kerncast::ptx
