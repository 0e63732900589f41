// What the probe needs of the CUDA runtime: memory that frees itself, errors as exceptions, times and the
// clock.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "probe/samples.h"

namespace kerncast::probe {

inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

class DeviceMemory {
public:
  explicit DeviceMemory(std::size_t bytes) { check(cudaMalloc(&bytes_, bytes), "cudaMalloc"); }
  ~DeviceMemory() { cudaFree(bytes_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  template <class T> T* as() const { return static_cast<T*>(bytes_); }

private:
  void* bytes_ = nullptr;
};

// Takes samples until there are enough, or its time is over.
class Timer {
public:
  Timer();
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Microseconds that the work takes on the device.
  Median us(const std::function<void()>& work) const;
  // Of the SM clock, while the device is busy.
  Median clock_mhz() const;

private:
  float once(const std::function<void()>& work) const;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

} // namespace kerncast::probe
