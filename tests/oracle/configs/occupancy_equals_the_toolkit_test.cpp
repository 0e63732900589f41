// CTAs per SM equal those of the CUDA toolkit's calculator (cuda_occupancy.h) on 100,000 random launches, for
// every compute capability that it knows, and so does the table that stands in for it where the toolkit is
// not installed, which KERNCAST_UPDATE_REFERENCE=1 records.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>

#include <cuda_occupancy.h>
#include <gtest/gtest.h>

#include "capability_gpu.h"
#include "configs/occupancy.h"

namespace kerncast::configs::test {
namespace {

constexpr int launches = 100000;
constexpr std::array capabilities = {"3.0", "3.2", "3.5",  "3.7",  "5.0",  "5.2",  "5.3",  "6.0",
                                     "6.1", "6.2", "7.0",  "7.2",  "7.5",  "8.0",  "8.6",  "8.7",
                                     "8.9", "9.0", "10.0", "10.1", "10.3", "11.0", "12.0", "12.1"};

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

// The rows of the table: random launches of each capability in turn.
std::string table() {
  constexpr int rows = 5000;
  const Sandbox sandbox;
  std::ostringstream out;
  out << "# CTAs per SM by the CUDA occupancy calculator of CUDA 13.0 (cuda_occupancy.h) for random "
         "launches, with "
         "the\n# largest shared-memory carve-out and opt-in; 0: no CTA fits. Figures only.\n"
         "cc,threads_per_cta,registers_per_thread,shared_bytes_per_cta,ctas_per_sm\n";
  std::mt19937 random(2);
  for (std::size_t c = 0; c < capabilities.size(); ++c) {
    const Gpu gpu = gpu_of(capabilities[c], sandbox);
    const cudaOccDeviceProp properties = properties_of(gpu);
    for (std::size_t row = c; row < rows; row += capabilities.size()) {
      const CtaResources cta = random_launch(random, gpu.limits);
      out << capabilities[c] << ',' << cta.threads_per_cta << ',' << cta.registers_per_thread << ','
          << cta.shared_bytes_per_cta << ',' << calculated(cta, properties) << '\n';
    }
  }
  return out.str();
}

TEST(OccupancyOfTheToolkit, IsTheTables) {
  const std::filesystem::path file = data / "occupancy_cases.csv";
  const std::string expected = table();
  if (std::getenv("KERNCAST_UPDATE_REFERENCE") != nullptr)
    std::ofstream(file, std::ios::binary) << expected;
  std::ostringstream recorded;
  recorded << std::ifstream(file).rdbuf();
  EXPECT_TRUE(recorded.str() == expected)
      << file << " is not the calculator's; KERNCAST_UPDATE_REFERENCE=1 records";
}

} // namespace
} // namespace kerncast::configs::test
