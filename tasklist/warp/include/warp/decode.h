// Decodes a kernel for slice execution.
#pragma once

#include <span>
#include <vector>

#include "warp/program.h"

namespace kerncast::warp {

// `list` must be the lowering of `kernel`, a function of `module` or its inlined form.
Program decode(const ptx::Module& module, const ptx::Function& kernel, const tasklist::Tasklist& list);

// Slots that the operations of some blocks write, without duplicates.
std::vector<SlotId> written_slots(const Program& program, std::span<const BlockId> blocks);

} // namespace kerncast::warp
