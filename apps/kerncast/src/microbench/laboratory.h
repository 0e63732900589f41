// Runs kernels of the microbenchmarks on one described GPU: parsed, lowered, executed and simulated like any
// other kernel.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "application/contents.h"
#include "engine/kernel.h"
#include "kernels.h"
#include "support/diagnostics.h"
#include "tasklist/image.h"
#include "tasklist/launch.h"

namespace kerncast::app {

struct Experiment {
  std::string_view kernel;
  tasklist::Launch launch;
};

tasklist::Argument argument(std::uint32_t value);
tasklist::Argument buffer_argument(std::uint32_t number, std::uint64_t bytes);
tasklist::Argument texture_argument(std::uint32_t number);

class Laboratory {
public:
  // `gpu` must outlive the object.
  static Expected<Laboratory> open(const configs::Gpu& gpu);

  const configs::Gpu& gpu() const { return *gpu_; }

  // The launches one after the other, with buffers of these sizes in bytes that begin as zeros; the
  // prediction of the last one. Textures lie in these buffers; kernels get them as texture_argument.
  Expected<engine::KernelPrediction> run(const std::vector<Experiment>& launches,
                                         const std::vector<std::uint64_t>& buffers,
                                         const std::vector<tasklist::Image>& textures = {}) const;

private:
  explicit Laboratory(const configs::Gpu& gpu) : gpu_(&gpu) {}

  const configs::Gpu* gpu_;
  std::map<std::string, KernelCode, std::less<>> kernels_;
};

} // namespace kerncast::app
