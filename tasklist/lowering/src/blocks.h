// Basic blocks and their successors from branches, labels and exits.
#pragma once

#include "program.h"
#include "support/diagnostics.h"

namespace kerncast::lowering {

// Fills Program::blocks and Program::block_of. Fails with places on branches without a label.
Expected<void> find_blocks(Program& program, const SourceText& source);

} // namespace kerncast::lowering
