// Bandwidths: streams of doubles through DRAM, and reads of what L2 holds.
#include <algorithm>

#include "kernels.h"
#include "measure.h"

namespace kerncast::probe {
namespace {

constexpr uint32_t threads = 256;

// 1e9 bytes/s of a stream with so many arrays.
template <class Kernel> Median stream(const Device& device, Kernel kernel, int arrays) {
  const std::size_t bytes =
      std::max<std::size_t>(8 * static_cast<std::size_t>(device.properties.l2CacheSize), 1U << 29);
  const auto elements = static_cast<uint32_t>(bytes / sizeof(double));
  const DeviceMemory a(bytes), b(bytes);
  check(cudaMemset(b.as<void>(), 0, bytes), "cudaMemset");
  const auto time = [&](uint32_t n) {
    return device.timer.us([&] { kernel<<<n / threads, threads>>>(a.as<double>(), b.as<double>(), n); });
  };
  const Median us = difference(time(elements), time(elements / 2), 1);
  return inverse(us, arrays * static_cast<double>(bytes) / 2 / 1e3);
}

Median l2_bytes_per_clock(const Device& device, double mhz) {
  const cudaDeviceProp& properties = device.properties;
  constexpr uint32_t few = 16, many = 64, word_bytes = 16;
  constexpr uint32_t words = (1U << 20) / word_bytes;
  const uint32_t ctas = properties.maxThreadsPerMultiProcessor / threads * properties.multiProcessorCount;
  const DeviceMemory array(std::size_t{words} * word_bytes), out(8);
  check(cudaMemset(array.as<void>(), 0, std::size_t{words} * word_bytes), "cudaMemset");
  const auto time = [&](uint32_t passes) {
    return device.timer.us(
        [&] { read_l2<<<ctas, threads>>>(array.as<uint4>(), words, out.as<uint32_t>(), passes); });
  };
  const Median us = difference(time(many), time(few), many - few);
  return inverse(us, 1.0 * ctas * words * word_bytes / mhz);
}

} // namespace

std::vector<MeasuredKey> measure_bandwidths(const Device& device, double mhz) {
  std::vector<MeasuredKey> keys;
  const Median reads = stream(device, read, 1), both = stream(device, scale, 2);
  if (device.pin_gbps > 0)
    keys.push_back({"dram.sustained_fraction", scaled(reads, 1 / device.pin_gbps),
                    "a stream of reads, over the " + std::to_string(static_cast<int>(device.pin_gbps)) +
                        " GB/s of clock and bus width"});
  // Never negative: writes do not make reads faster.
  Median loss = inverse(both, reads.value);
  for (double* bound : {&loss.value, &loss.low, &loss.high})
    *bound = std::max(0.0, *bound - 1);
  keys.push_back({"dram.mixed_loss", loss, "a copy with a factor, against reads"});
  keys.push_back(
      {"l2.bytes_per_clock", l2_bytes_per_clock(device, mhz), "reads of 1 MiB by all SMs, past L1"});
  return keys;
}

} // namespace kerncast::probe
