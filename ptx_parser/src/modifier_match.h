// Whether the modifiers of an instruction are those of a row of the syntax table.
#pragma once

#include <span>

#include "syntax_table.h"

namespace kerncast::ptx {

// In the row's order.
bool matches_in_order(const SyntaxTable& table, const Row& row, std::span<const Modifier> modifiers);
// In any order, as ptxas reads them: words of the instruction's name (the `wide` of mul.wide, the `proxy` of
// fence.proxy) stay in front, and types, matrix layouts and state spaces keep their order among themselves.
bool matches_in_any_order(const SyntaxTable& table, const Row& row, std::span<const Modifier> modifiers);
// Flags such as .sync and .sat, which ptxas lets stand twice.
bool may_be_repeated(Modifier modifier);

} // namespace kerncast::ptx
