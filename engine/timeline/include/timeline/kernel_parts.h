// What a timeline knows of kernels for programmatic dependent launch: see dependent_launch.h.
#pragma once

#include "configs/gpu.h"

namespace kerncast::timeline {

// Of a kernel alone, as parts of its time. By default nothing is early.
struct KernelParts {
  double trigger = 1;  // all of its CTAs have triggered
  double prologue = 0; // it waits for the kernel before; 1: it never does
};

// Whether programmatic stream serialization has an effect on the GPU.
bool launches_dependents(const configs::Gpu& gpu);

// What a prediction with such launches on the GPU says.
const char* assumption_of_dependent_launches(const configs::Gpu& gpu);

} // namespace kerncast::timeline
