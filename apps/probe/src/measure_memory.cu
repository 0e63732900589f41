// Latencies: walks along Sattolo's cycle through arrays that fit in L1, in L2, or in neither; shared memory,
// constants and textures.
#include <algorithm>
#include <numeric>
#include <random>

#include "kernels.h"
#include "measure.h"

namespace kerncast::probe {
namespace {

using Chase = void (*)(const uint64_t*, uint64_t*, uint32_t);

// All cells in random order, the last of which leads to the first again (Sattolo, An algorithm to generate a
// random cyclic permutation, Information Processing Letters 22, 1986).
std::vector<uint32_t> random_cycle(uint32_t cells) {
  std::vector<uint32_t> next(cells);
  std::iota(next.begin(), next.end(), 0U);
  std::mt19937 random(1);
  for (uint32_t i = cells - 1; i > 0; --i)
    std::swap(next[i], next[random() % i]);
  std::vector<uint32_t> order;
  for (uint32_t at = 0; order.size() < cells; at = next[at])
    order.push_back(at);
  return order;
}

// Cells a line apart; cycles per load. Each walk begins where the one before it ended, so that an array that
// does not fit has been displaced when its cells come again.
Median walk(const Device& device, Chase kernel, std::size_t bytes, double mhz) {
  constexpr uint32_t line_words = 128 / sizeof(uint64_t);
  const auto cells = static_cast<uint32_t>(bytes / 128);
  const DeviceMemory array(bytes), out(8);
  const std::vector<uint32_t> order = random_cycle(cells);
  const auto address = [&](std::size_t i) {
    return array.as<uint64_t>() + std::size_t{order[i % cells]} * line_words;
  };
  std::vector<uint64_t> words(std::size_t{cells} * line_words);
  for (uint32_t i = 0; i < cells; ++i)
    words[std::size_t{order[i]} * line_words] = reinterpret_cast<uint64_t>(address(i + 1));
  check(cudaMemcpy(array.as<void>(), words.data(), bytes, cudaMemcpyHostToDevice), "walk");
  std::size_t begin = 0;
  const auto time = [&](uint32_t loads) {
    return device.timer.us([&] {
      kernel<<<1, 1>>>(address(begin), out.as<uint64_t>(), loads);
      begin += loads;
    });
  };
  // The first time through L1 is part of both.
  constexpr uint32_t few = 1U << 12, more = 1U << 16;
  return scaled(difference(time(few + more), time(few), more), mhz);
}

Median constants(const Device& device, double mhz) {
  constexpr uint32_t few = 256, many = 4096, steps = 8;
  const DeviceMemory out(4096);
  const auto time = [&](uint32_t trips) {
    return device.timer.us([&] { chase_constants<<<1, 32>>>(out.as<uint64_t>(), 0, trips); });
  };
  return scaled(difference(time(many), time(few), steps * (many - few)), mhz);
}

class Texture {
public:
  explicit Texture(int texels) {
    const auto format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
    check(cudaMallocArray(&array_, &format, texels), "cudaMallocArray");
    const std::vector<int> zeros(texels, 0);
    check(cudaMemcpy2DToArray(array_, 0, 0, zeros.data(), texels * sizeof(int), texels * sizeof(int), 1,
                              cudaMemcpyHostToDevice),
          "texture");
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_;
    cudaTextureDesc description{};
    description.readMode = cudaReadModeElementType;
    check(cudaCreateTextureObject(&object_, &resource, &description, nullptr), "cudaCreateTextureObject");
  }
  ~Texture() {
    cudaDestroyTextureObject(object_);
    cudaFreeArray(array_);
  }
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;
  cudaTextureObject_t object() const { return object_; }

private:
  cudaArray_t array_ = nullptr;
  cudaTextureObject_t object_ = 0;
};

Median textures(const Device& device, double mhz) {
  constexpr uint32_t few = 256, many = 2048, fetches = 8;
  const Texture texture(256);
  const DeviceMemory out(4096);
  const auto time = [&](uint32_t trips) {
    return device.timer.us([&] { chase_texture<<<1, 32>>>(texture.object(), out.as<uint32_t>(), trips); });
  };
  return scaled(difference(time(many), time(few), fetches * (many - few)), mhz);
}

Median shared(const Device& device, double mhz) {
  constexpr uint32_t few = 4096, many = 65536;
  const DeviceMemory out(4096);
  const auto time = [&](uint32_t loads) {
    return device.timer.us([&] { chase_shared<<<1, 32>>>(out.as<uint32_t>(), 1, loads); });
  };
  return scaled(difference(time(many), time(few), many - few), mhz);
}

} // namespace

std::vector<MeasuredKey> measure_memory(const Device& device, double mhz) {
  const auto l2 = static_cast<std::size_t>(device.properties.l2CacheSize);
  // A quarter of L2: of GPUs with two partitions half of L2 may hold copies.
  const std::size_t in_l2 = std::max<std::size_t>(l2 / 4, 1U << 18) / 128 * 128;
  const std::size_t in_dram = std::max<std::size_t>(4 * l2, 1U << 26) / 128 * 128;
  return {{"l1.latency", walk(device, chase, 8 << 10, mhz), "a walk through 8 KiB"},
          {"l2.latency", walk(device, chase_l2, in_l2, mhz),
           "a walk through " + std::to_string(in_l2 >> 10) + " KiB"},
          {"dram.latency", walk(device, chase_l2, in_dram, mhz),
           "a walk through " + std::to_string(in_dram >> 20) + " MiB"},
          {"shared.latency", shared(device, mhz), "a chain of loads"},
          {"constant.latency", constants(device, mhz), "a chain of loads and additions, less the additions"},
          {"texture.latency", textures(device, mhz), "a chain of fetches"}};
}

} // namespace kerncast::probe
