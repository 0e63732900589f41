// Arguments laid out as the kernel's parameters.
#pragma once

#include <cstdint>
#include <vector>

#include "tasklist/launch.h"
#include "warp/memory_map.h"

namespace kerncast::warp {

// The kernel's parameter space; a byte counts only where it is known.
struct ParameterImage {
  std::vector<std::uint8_t> bytes;
  std::vector<bool> known;
};

// Parameters without an argument, or with one of unknown value, stay unknown.
ParameterImage parameter_image(const MemoryMap& memory, std::uint32_t address_bits,
                               const tasklist::Launch& launch);

} // namespace kerncast::warp
