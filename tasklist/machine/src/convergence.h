// Branches that the lanes of a warp may take differently, and where they meet again.
//
// A value is the same in all lanes if it comes from constants, parameters and CTA coordinates alone. Left
// out: values that differ only because lanes leave a loop at different iterations.
#pragma once

#include <vector>

#include "selection.h"
#include "tasklist/control_flow.h"

namespace kerncast::machine {

// By block: how many joins lanes are gathered for from here on, and how many end here.
struct Convergence {
  std::vector<std::uint32_t> begun, ended;
};

// `divergent` is what find_divergent_values() says.
Convergence find_convergence(const Selection& selection, const tasklist::ControlFlow& flow,
                             const std::vector<bool>& divergent);

} // namespace kerncast::machine
