// Launches one after the other, the link to the host, and the clock.
#include "kernels.h"
#include "measure.h"

namespace kerncast::probe {
namespace {

class PinnedMemory {
public:
  explicit PinnedMemory(std::size_t bytes) { check(cudaMallocHost(&bytes_, bytes), "cudaMallocHost"); }
  ~PinnedMemory() { cudaFreeHost(bytes_); }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  void* get() const { return bytes_; }

private:
  void* bytes_ = nullptr;
};

} // namespace

std::vector<MeasuredKey> measure_clock(const Device& device) {
  return {{"clock_mhz", device.timer.clock_mhz(), "cycles over nanoseconds of one SM"}};
}

std::vector<MeasuredKey> measure_host(const Device& device) {
  constexpr int few = 100, many = 1100;
  const auto launches = [&](int count) {
    return device.timer.us([count] {
      for (int i = 0; i < count; ++i)
        nothing<<<1, 32>>>();
    });
  };
  constexpr std::size_t bytes = 1U << 26;
  const PinnedMemory host(bytes);
  const DeviceMemory there(bytes);
  const auto copy = [&](std::size_t size) {
    return device.timer.us([&] {
      check(cudaMemcpyAsync(there.as<void>(), host.get(), size, cudaMemcpyHostToDevice), "cudaMemcpyAsync");
    });
  };
  const Median all = copy(bytes), half = copy(bytes / 2);
  return {{"launch_overhead_us", difference(launches(many), launches(few), many - few),
           "empty launches back to back"},
          {"host_link.bandwidth_gbps", inverse(difference(all, half, 1), bytes / 2 / 1e3),
           "copies from pinned memory"},
          {"host_link.latency_us", copy(4), "a copy of 4 bytes"}};
}

} // namespace kerncast::probe
