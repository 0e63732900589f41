// Contradictions within the memory hierarchy of a description.
#pragma once

#include "checker.h"

namespace kerncast::configs {

// Whole sets and lines; farther memory is larger and no faster; DRAM's clock, data rate and bandwidth agree.
void check_memory(const Gpu& gpu, Checker& check);

} // namespace kerncast::configs
