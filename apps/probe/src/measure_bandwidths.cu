// Bandwidths: streams of doubles through DRAM, and reads, writes and copies of what L2 holds.
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

constexpr uint32_t l2_words = (1U << 20) / sizeof(uint4);

// Bytes of the array that pass by in a cycle while launch(ctas, passes) goes through it.
template <class Launch> Median l2_bytes_per_clock(const Device& device, double mhz, Launch launch) {
  const cudaDeviceProp& properties = device.properties;
  constexpr uint32_t few = 16, many = 64;
  const uint32_t ctas = properties.maxThreadsPerMultiProcessor / threads * properties.multiProcessorCount;
  const auto time = [&](uint32_t passes) { return device.timer.us([&] { launch(ctas, passes); }); };
  const Median us = difference(time(many), time(few), many - few);
  return inverse(us, 1.0 * ctas * l2_words * sizeof(uint4) / mhz);
}

// What is copied takes the way of requests as what is written does, and that for its reads in addition.
Median read_request_fraction(const Median& writes, const Median& copies) {
  Median fraction = inverse(copies, writes.value);
  for (double* bound : {&fraction.value, &fraction.low, &fraction.high})
    *bound = std::clamp(*bound - 1, 0.0, 1.0);
  return fraction;
}

void measure_l2(const Device& device, double mhz, std::vector<MeasuredKey>& keys) {
  const DeviceMemory array(l2_words * sizeof(uint4)), copy(l2_words * sizeof(uint4)), out(8);
  check(cudaMemset(array.as<void>(), 0, l2_words * sizeof(uint4)), "cudaMemset");
  const auto of = [&](auto launch) { return l2_bytes_per_clock(device, mhz, launch); };
  const Median reads = of([&](uint32_t ctas, uint32_t passes) {
    read_l2<<<ctas, threads>>>(array.as<uint4>(), l2_words, out.as<uint32_t>(), passes);
  });
  const Median writes = of([&](uint32_t ctas, uint32_t passes) {
    write_l2<<<ctas, threads>>>(array.as<uint4>(), l2_words, passes);
  });
  const Median copies = of([&](uint32_t ctas, uint32_t passes) {
    copy_l2<<<ctas, threads>>>(array.as<uint4>(), copy.as<uint4>(), l2_words, passes);
  });
  keys.push_back({"l2.bytes_per_clock", reads, "reads of 1 MiB by all SMs, past L1"});
  keys.push_back({"l2.write_bytes_per_clock", writes, "writes of 1 MiB by all SMs"});
  keys.push_back({"l2.read_request_fraction", read_request_fraction(writes, copies),
                  "a copy of 1 MiB by all SMs, against writes"});
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
  measure_l2(device, mhz, keys);
  return keys;
}

} // namespace kerncast::probe
