// Latency and interval of units: what 40 instead of 8 steps of a chain cost, of one warp and of full SMs.
#include "kernels.h"
#include "measure.h"

namespace kerncast::probe {
namespace {

constexpr uint32_t more_steps = 40 - 8;

template <class T> using Kernel = void (*)(T*, T, uint32_t);

template <class T> struct Chains { Kernel<T> short_one, long_one, short_four, long_four; };

// Microseconds per step of each chain.
template <class T>
Median per_step(const Device& device, Kernel<T> few, Kernel<T> many, dim3 grid, dim3 block, uint32_t trips) {
  const DeviceMemory out(4096 * sizeof(T));
  const auto time = [&](Kernel<T> kernel) {
    return device.timer.us([&] { kernel<<<grid, block>>>(out.as<T>(), T(1), trips); });
  };
  return difference(time(many), time(few), 1.0 * trips * more_steps);
}

template <class T>
void measure(const Device& device, double mhz, const std::string& unit, const char* ptx,
             const Chains<T>& chains, std::vector<MeasuredKey>& keys) {
  constexpr int threads = 256, sub_cores = 4;
  const cudaDeviceProp& properties = device.properties;
  const Median alone = per_step<T>(device, chains.short_one, chains.long_one, 1, 32, 4096);
  keys.push_back({"units." + unit + ".latency", scaled(alone, mhz), std::string("a chain of ") + ptx});
  const int ctas = properties.maxThreadsPerMultiProcessor / threads;
  const Median full = per_step<T>(device, chains.short_four, chains.long_four,
                                  ctas * properties.multiProcessorCount, threads, 512);
  const double warps_per_sub_core = ctas * (threads / 32.0) / sub_cores;
  keys.push_back({"units." + unit + ".issue_interval", scaled(full, mhz / (4 * warps_per_sub_core)),
                  std::string(ptx) + " of full SMs"});
}

} // namespace

std::vector<MeasuredKey> measure_operations(const Device& device, double mhz) {
  std::vector<MeasuredKey> keys;
  measure<uint32_t>(device, mhz, "alu", "add.s32", {add_s32_c1_8, add_s32_c1_40, add_s32_c4_8, add_s32_c4_40},
                    keys);
  measure<float>(device, mhz, "fp32", "add.f32", {add_f32_c1_8, add_f32_c1_40, add_f32_c4_8, add_f32_c4_40},
                 keys);
  measure<float>(device, mhz, "sfu", "ex2.approx", {ex2_f32_c1_8, ex2_f32_c1_40, ex2_f32_c4_8, ex2_f32_c4_40},
                 keys);
  measure<double>(device, mhz, "fp64", "add.f64", {add_f64_c1_8, add_f64_c1_40, add_f64_c4_8, add_f64_c4_40},
                  keys);
  return keys;
}

} // namespace kerncast::probe
