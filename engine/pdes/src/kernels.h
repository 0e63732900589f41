// The kernels that a GPU's processes work for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pdes/gpu.h"

namespace kerncast::pdes {

// In whose order kinds, operations and requests follow each other.
using Kernels = std::vector<KernelOnGpu>;

// The one that a kind, an operation or a request belongs to.
inline std::uint32_t kernel_of(const Kernels& kernels, std::uint32_t engine::MergedKernel::*first,
                               std::uint32_t index) {
  auto kernel = static_cast<std::uint32_t>(kernels.size() - 1);
  while (index < kernels[kernel].first.*first)
    --kernel;
  return kernel;
}

inline auto first_with_lines(const Kernels& kernels) {
  return std::find_if(kernels.begin(), kernels.end(),
                      [](const KernelOnGpu& kernel) { return kernel.lines != nullptr; });
}
inline bool have_lines(const Kernels& kernels) { return first_with_lines(kernels) != kernels.end(); }
// Where some have lines.
inline const configs::Gpu& gpu_of_lines(const Kernels& kernels) {
  return first_with_lines(kernels)->lines->gpu();
}

} // namespace kerncast::pdes
