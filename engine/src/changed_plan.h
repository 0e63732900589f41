// A launch planned again on a changed description.
#pragma once

#include <optional>

#include "engine/kernel.h"

namespace kerncast::engine {

// Copies to change: operations have latencies and intervals of their own.
struct Machine {
  configs::Gpu gpu;
  machine::MachineProgram program;
};

// The launch on `machine`, all else as `input` has it. None if it cannot run there, or if every SM would do
// exactly what it does in `plan`.
std::optional<KernelPlan> plan_changed(const KernelInput& input, const Machine& machine,
                                       const KernelPlan& plan);

} // namespace kerncast::engine
