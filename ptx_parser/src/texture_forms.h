// Operands of textures and tensors that depend on the geometry: offsets, derivatives, depths to compare with.
#pragma once

#include <span>
#include <vector>

#include "syntax_table.h"

namespace kerncast::ptx {

// Elements of each of the two derivatives of a tex.grad.
struct Lengths {
  std::uint8_t least = 0;
  std::uint8_t most = 0;
};
Lengths derivative_lengths(std::span<const Modifier> modifiers);

// Gives the offsets (`o` in a row) their length, and removes them and the depth (`u`) where the geometry or
// the coordinates' type has none.
void resolve_geometry(std::vector<OperandForm>& forms, Opcode opcode, std::span<const Modifier> modifiers);

} // namespace kerncast::ptx
