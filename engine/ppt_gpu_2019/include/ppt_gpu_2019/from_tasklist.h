// A kernel of ours in the terms of the PPT-GPU tool of 2019.
//
// The tool knows one straight line of items that every warp executes. So the way of the most common kind of
// warp is written out, loops and all, and what the tool has no word for is replaced and named. Its front
// end's mistakes (address arithmetic on the FP64 unit, fences as barriers) are not repeated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "configs/gpu.h"
#include "ppt_gpu_2019/input.h"
#include "support/diagnostics.h"
#include "tasklist/behaviour.h"
#include "tasklist/launch.h"
#include "tasklist/tasklist.h"

namespace kerncast::ppt_gpu_2019 {

struct Conversion {
  Input input;
  std::vector<std::string> assumptions; // what the tool cannot express
};

struct KernelLaunch {
  const tasklist::Tasklist& list;
  const tasklist::LaunchBehaviour& behaviour; // without paths: the tasklist must be a single block
  const configs::Gpu& gpu;
  const tasklist::Launch& launch;
  std::uint32_t registers_per_thread = 0; // stated or estimated
  double l2_hit = 0;                      // 0 to 1
};

// Fails naming every operation whose latency the GPU's ISA table does not know, when the written-out line
// is longer than max_items, and when a value of the GPU or the launch is outside what a reader accepts.
Expected<Conversion> from_tasklist(const KernelLaunch& kernel);

// The tool's settings for one of our GPUs.
Expected<Hardware> to_hardware(const configs::Gpu& gpu);

} // namespace kerncast::ppt_gpu_2019
