// Which values the lanes of a warp may have different ones of.
#pragma once

#include <vector>

#include "selection.h"

namespace kerncast::machine {

// By value. What lanes load from memory may differ; what depends on nothing but parameters, constants and the
// CTA's place does not. Values under divergent control flow are not looked at.
std::vector<bool> find_divergent_values(const Selection& selection);

} // namespace kerncast::machine
