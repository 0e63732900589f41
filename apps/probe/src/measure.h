// What the probe measures of a GPU.
#pragma once

#include <vector>

#include "device.h"
#include "probe/gpu_file.h"

namespace kerncast::probe {

struct Device {
  cudaDeviceProp properties{};
  double pin_gbps = 0; // of device memory
  Timer timer;
};

std::vector<MeasuredKey> measure_clock(const Device& device);
// `mhz`: the SM clock that times are turned into cycles with.
std::vector<MeasuredKey> measure_operations(const Device& device, double mhz);
std::vector<MeasuredKey> measure_memory(const Device& device, double mhz);
std::vector<MeasuredKey> measure_bandwidths(const Device& device, double mhz);
std::vector<MeasuredKey> measure_host(const Device& device);

} // namespace kerncast::probe
