// Slow paths, routines and further copies of unrolled loops: code that a kernel has but whose time no
// execution shows.
#pragma once

#include "configs/gpu.h"
#include "draft.h"
#include "machine/program.h"
#include "selection.h"

namespace kerncast::machine {

// Every use of an operation has its row's rare code; a routine is there once, whoever calls it.
std::vector<UnexecutedCode> find_unexecuted(const Selection& selection, const configs::Gpu& gpu,
                                            const Draft& draft, bool slow_divisions);

} // namespace kerncast::machine
