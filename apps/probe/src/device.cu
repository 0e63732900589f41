#include "device.h"

namespace kerncast::probe {
namespace {

// A measurement is repeated so often; the slowest takes some tens of milliseconds.
constexpr int repetitions = 25;
constexpr int warm_up = 3;

// The cycles and nanoseconds that one SM counts while it waits for its own arithmetic.
__global__ void count(uint64_t* cycles, uint64_t* nanoseconds, uint32_t trips) {
  uint64_t begin = 0, end = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  const long long first = clock64();
  float x = 1;
#pragma unroll 1
  for (uint32_t i = 0; i < trips; ++i)
#pragma unroll
    for (int k = 0; k < 64; ++k)
      asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
  *cycles = static_cast<uint64_t>(clock64() - first);
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(end));
  *nanoseconds = end - begin;
}

} // namespace

Timer::Timer() {
  check(cudaEventCreate(&begin_), "cudaEventCreate");
  check(cudaEventCreate(&end_), "cudaEventCreate");
}

Timer::~Timer() {
  cudaEventDestroy(begin_);
  cudaEventDestroy(end_);
}

float Timer::once(const std::function<void()>& work) const {
  check(cudaEventRecord(begin_), "cudaEventRecord");
  work();
  check(cudaGetLastError(), "launch");
  check(cudaEventRecord(end_), "cudaEventRecord");
  check(cudaEventSynchronize(end_), "kernel");
  float ms = 0;
  check(cudaEventElapsedTime(&ms, begin_, end_), "cudaEventElapsedTime");
  return 1000 * ms;
}

Median Timer::us(const std::function<void()>& work) const {
  for (int i = 0; i < warm_up; ++i)
    once(work);
  std::vector<double> samples;
  for (int i = 0; i < repetitions; ++i)
    samples.push_back(once(work));
  return median_of(std::move(samples));
}

Median Timer::clock_mhz() const {
  constexpr uint32_t trips = 1 << 16; // some ten milliseconds
  const DeviceMemory counts(2 * sizeof(uint64_t));
  std::vector<double> samples;
  for (int i = 0; i < repetitions + warm_up; ++i) {
    count<<<1, 1>>>(counts.as<uint64_t>(), counts.as<uint64_t>() + 1, trips);
    uint64_t values[2] = {};
    check(cudaMemcpy(values, counts.as<void>(), sizeof values, cudaMemcpyDeviceToHost), "clock");
    if (i >= warm_up)
      samples.push_back(1000.0 * static_cast<double>(values[0]) / static_cast<double>(values[1]));
  }
  return median_of(std::move(samples));
}

} // namespace kerncast::probe
