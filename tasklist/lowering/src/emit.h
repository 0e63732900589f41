// The working form as a tasklist.
#pragma once

#include "program.h"
#include "tasklist/control_flow.h"

namespace kerncast::lowering {

// Live ops become tasks; values are numbered in the order in which they appear. Dependencies are left out.
// `flow` is that of the program's blocks.
tasklist::Tasklist emit(Program program, const tasklist::ControlFlow& flow);

} // namespace kerncast::lowering
