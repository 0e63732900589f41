// How large L1 is beside the shared memory that a kernel's CTAs need.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "configs/gpu.h"

namespace kerncast::configs {

// Sizes of shared memory in bytes, ascending; nothing if the text is no such list.
std::optional<std::vector<std::uint64_t>> shared_carve_outs(const ResidencyLimits& limits);

// The driver makes shared memory as small as the resident CTAs allow (CUDA C++ Programming Guide, the
// sections on compute capabilities), and L1 gets the rest.
std::uint64_t l1_bytes(const Gpu& gpu, std::uint32_t ctas_per_sm, std::uint32_t shared_bytes_per_cta);

} // namespace kerncast::configs
