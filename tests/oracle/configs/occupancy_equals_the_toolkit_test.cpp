// CTAs per SM equal those of the CUDA toolkit's calculator (cuda_occupancy.h) on 100,000 random launches, for
// every compute capability of the database that it knows. Built only where the toolkit is installed.
#include <algorithm>
#include <array>
#include <random>

#include <cuda_occupancy.h>
#include <gtest/gtest.h>

#include "capability_gpu.h"
#include "configs/occupancy.h"

namespace kerncast::configs::test {
namespace {

constexpr int launches = 100000;
constexpr std::array capabilities = {"3.0", "3.5", "3.7", "5.0", "5.2", "6.0", "6.1",  "7.0",
                                     "7.5", "8.0", "8.6", "8.7", "8.9", "9.0", "10.0", "12.0"};

// What the CUDA runtime would report of the device; the calculator adds its own rules.
cudaOccDeviceProp properties_of(const Gpu& gpu) {
  const ResidencyLimits& l = gpu.limits;
  cudaOccDeviceProp properties{};
  properties.computeMajor = static_cast<int>(gpu.compute_capability_major);
  properties.computeMinor = static_cast<int>(gpu.compute_capability_minor);
  properties.warpSize = 32;
  properties.numSms = 1;
  properties.maxThreadsPerBlock = static_cast<int>(l.threads_per_cta);
  properties.maxThreadsPerMultiprocessor = static_cast<int>(l.threads_per_sm);
  properties.regsPerBlock = static_cast<int>(l.registers_per_cta);
  properties.regsPerMultiprocessor = static_cast<int>(l.registers_per_sm);
  properties.sharedMemPerBlock = 49152;
  properties.sharedMemPerMultiprocessor = l.shared_bytes_per_sm;
  properties.sharedMemPerBlockOptin = l.shared_bytes_per_cta;
  properties.reservedSharedMemPerBlock = l.shared_reserved_bytes_per_cta;
  return properties;
}

int calculated(const CtaResources& cta, const cudaOccDeviceProp& properties) {
  cudaOccFuncAttributes attributes{};
  attributes.maxThreadsPerBlock = 1024;
  attributes.numRegs = static_cast<int>(cta.registers_per_thread);
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = 1 << 30;
  cudaOccDeviceState state{};
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  cudaOccResult result{};
  const auto error = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes, &state,
                                                             static_cast<int>(cta.threads_per_cta),
                                                             cta.shared_bytes_per_cta);
  return error == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : 0;
}

// Sizes from small to beyond the limits, many of them multiples of a warp or of the granularities.
CtaResources random_launch(std::mt19937& random, const ResidencyLimits& l) {
  const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(random() % bound); };
  CtaResources cta;
  cta.threads_per_cta = below(3) != 0 ? 32 * (1 + below(32)) : 1 + below(1024);
  // The calculator leaves the most registers of a thread to the compiler.
  cta.registers_per_thread = std::min(below(below(2) != 0 ? 65 : 256), l.registers_per_thread);
  const std::uint32_t bounds[] = {1, 8192, 49153, l.shared_bytes_per_cta + 1};
  cta.shared_bytes_per_cta = below(bounds[below(4)]);
  return cta;
}

TEST(OccupancyOfTheToolkit, IsOurs) {
  const Sandbox sandbox;
  int equal = 0;
  for (const char* capability : capabilities) {
    const Gpu gpu = gpu_of(capability, sandbox);
    const cudaOccDeviceProp properties = properties_of(gpu);
    std::mt19937 random(1); // its numbers are the same everywhere
    for (int i = 0; i < launches; ++i) {
      const CtaResources cta = random_launch(random, gpu.limits);
      const auto ours = occupancy(cta, gpu);
      const int theirs = calculated(cta, properties);
      equal += static_cast<int>(ours ? ours->ctas_per_sm : 0) == theirs ? 1 : 0;
      ASSERT_EQ(ours ? ours->ctas_per_sm : 0, static_cast<std::uint32_t>(theirs))
          << capability << ": " << cta.threads_per_cta << " threads, " << cta.registers_per_thread
          << " registers, " << cta.shared_bytes_per_cta << " bytes";
    }
  }
  RecordProperty("equal", equal);
}

} // namespace
} // namespace kerncast::configs::test
