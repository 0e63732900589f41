// Slow paths and routines: code that a kernel has but whose time no execution shows.
#pragma once

#include "configs/gpu.h"
#include "machine/program.h"
#include "selection.h"

namespace kerncast::machine {

// Every use of an operation has its row's rare code; a routine is there once, whoever calls it.
std::vector<UnexecutedCode> find_unexecuted(const Selection& selection, const configs::Gpu& gpu);

} // namespace kerncast::machine
