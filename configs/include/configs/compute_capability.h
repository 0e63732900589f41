// The compute capability as PTX targets write it.
#pragma once

#include "configs/gpu.h"

namespace kerncast::configs {

// 75 of 7.5, as in sm_75.
inline std::uint32_t compute_capability(const Gpu& gpu) {
  return 10 * gpu.compute_capability_major + gpu.compute_capability_minor;
}

} // namespace kerncast::configs
