// Decodes a kernel.
#pragma once

#include <span>
#include <vector>

#include "warp/program.h"

namespace kerncast::warp {

enum class Scope : std::uint8_t {
  slice,      // what decides branches and addresses
  everything, // every instruction, for functional execution
};

// `list` must be the lowering of `kernel`, a function of `module` or its inlined form.
Program decode(const ptx::Module& module, const ptx::Function& kernel, const tasklist::Tasklist& list,
               Scope scope = Scope::slice);

// Slots that the operations of some blocks write, without duplicates.
std::vector<SlotId> written_slots(const Program& program, std::span<const BlockId> blocks);

} // namespace kerncast::warp
