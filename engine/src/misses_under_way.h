// How many misses can be under way at a time, in L1 and in the slices of L2.
//
// Lines are counted as whole ones: scattered sectors, which take a register each, are limited less than they
// should be.
#pragma once

#include "configs/gpu.h"

namespace kerncast::engine {

// Of one SM: by memory.in_flight_bytes_per_sm, and by l1.mshrs where they are known. 0: not limited.
double in_flight_bytes(const configs::Gpu& gpu);

// Bytes per cycle of all slices that l2.mshrs let through: by Little's law, lines under way / time that each
// is (cycles of DRAM beyond those of a hit). 0: not limited.
double dram_bytes_per_clock_of_mshrs(const configs::Gpu& gpu);

} // namespace kerncast::engine
