// kerncast-probe [--device N] [--base NAME] [-o FILE]: measures a GPU and writes its description.
//
// A description of the database is inherited, and what was measured replaces its keys. Exit codes are
// kerncast's: 1 where there is no GPU, 2 for wrong usage.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "measure.h"

namespace kerncast::probe {
namespace {

constexpr int exit_input = 1, exit_usage = 2;

struct Options {
  int device = 0;
  std::string base;
  std::string file = "measured.toml";
};

bool read_options(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc)
      return false;
    if (std::strcmp(argv[i], "--device") == 0)
      options.device = std::atoi(argv[i + 1]);
    else if (std::strcmp(argv[i], "--base") == 0)
      options.base = argv[i + 1];
    else if (std::strcmp(argv[i], "-o") == 0)
      options.file = argv[i + 1];
    else
      return false;
  }
  return true;
}

// Twice the memory clock: data are transferred at both edges of what the driver reports.
double pin_gbps(int device) {
  int khz = 0, bits = 0;
  if (cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, device) != cudaSuccess ||
      cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device) != cudaSuccess)
    return 0;
  return 2.0 * khz * bits / 8 / 1e6;
}

std::vector<QueriedKey> queried(const cudaDeviceProp& p) {
  return {{"sms", std::to_string(p.multiProcessorCount)},
          {"l2.mib", std::to_string(static_cast<double>(p.l2CacheSize) / (1 << 20))}};
}

MeasuredGpu measure(const Options& options) {
  Device device;
  check(cudaSetDevice(options.device), "cudaSetDevice");
  check(cudaGetDeviceProperties(&device.properties, options.device), "cudaGetDeviceProperties");
  device.pin_gbps = pin_gbps(options.device);
  MeasuredGpu gpu;
  gpu.product = device.properties.name;
  gpu.inherits =
      options.base.empty() ? base_of(device.properties.major, device.properties.minor) : options.base;
  if (gpu.inherits.empty())
    throw std::runtime_error("no GPU of the database has compute capability " +
                             std::to_string(device.properties.major) + "." +
                             std::to_string(device.properties.minor) + "; name one with --base");
  gpu.why = "what kerncast-probe does not measure is as of this GPU";
  gpu.queried = queried(device.properties);
  gpu.measured = measure_clock(device);
  const double mhz = gpu.measured.front().median.value;
  for (const auto& some : {measure_operations(device, mhz), measure_memory(device, mhz),
                           measure_bandwidths(device, mhz), measure_host(device)})
    gpu.measured.insert(gpu.measured.end(), some.begin(), some.end());
  return gpu;
}

int run(const Options& options) {
  int devices = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&devices); status != cudaSuccess || devices == 0) {
    std::fprintf(
        stderr,
        "error: no CUDA GPU to measure: %s\n"
        "note: kerncast itself needs none; 'kerncast microbench --gpu NAME' runs the same kernels on a "
        "described GPU\n",
        status == cudaSuccess ? "the driver lists none" : cudaGetErrorString(status));
    return exit_input;
  }
  const MeasuredGpu gpu = measure(options);
  std::ofstream file(options.file);
  if (!(file << gpu_file(gpu)).flush()) {
    std::fprintf(stderr, "error: cannot write %s\n", options.file.c_str());
    return exit_input;
  }
  std::printf("%s\n%s: check it with 'kerncast gpus check %s'\n", report(gpu).c_str(), options.file.c_str(),
              options.file.c_str());
  return 0;
}

} // namespace
} // namespace kerncast::probe

int main(int argc, char** argv) {
  kerncast::probe::Options options;
  if (!kerncast::probe::read_options(argc, argv, options)) {
    std::fprintf(stderr, "error: usage: kerncast-probe [--device N] [--base NAME] [-o FILE]\n");
    return kerncast::probe::exit_usage;
  }
  try {
    return kerncast::probe::run(options);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "error: %s\n", problem.what());
    return kerncast::probe::exit_input;
  }
}
