// A kernel of the repository executed on vectors of the host.
#pragma once

#include <bit>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../lowered_kernel.h"
#include "functional/kernel.h"

namespace kerncast::functional_test {

using tasklist::Argument;
using tasklist::Dim3;
using tasklist::Launch;

using Words = std::vector<std::uint32_t>;

inline Argument integer(std::int32_t value) {
  return {Argument::Kind::i32, static_cast<std::uint32_t>(value), 0, 0};
}
inline Argument real(float value) { return {Argument::Kind::f32, std::bit_cast<std::uint32_t>(value), 0, 0}; }

class Code {
public:
  // A file by its path in the repository; `kernel` may be empty if it has one only.
  static Code of_path(const std::string& path, const std::string& kernel = {}) {
    return Code(test::LoweredKernel::of_path(path, kernel));
  }
  static Code of_text(const std::string& text, const std::string& kernel = {}) {
    return Code(test::LoweredKernel::of_text(text, kernel));
  }

  const functional::Kernel& kernel() const { return kernel_; }
  const ptx::Module& module() const { return lowered_.module(); }
  const ptx::Function& function() const { return lowered_.function(); }
  const tasklist::Tasklist& list() const { return lowered_.list(); }

private:
  explicit Code(test::LoweredKernel lowered)
      : lowered_(std::move(lowered)), kernel_(lowered_.module(), lowered_.function(), lowered_.list()) {}

  test::LoweredKernel lowered_;
  functional::Kernel kernel_;
};

// Each part of the grid on a thread of its own.
inline functional::RunOptions on_threads(std::size_t threads) {
  functional::RunOptions options;
  options.workers = threads;
  options.for_each = [](std::size_t count, const std::function<void(std::size_t)>& task) {
    std::vector<std::thread> workers;
    for (std::size_t i = 0; i < count; ++i)
      workers.emplace_back(task, i);
    for (std::thread& worker : workers)
      worker.join();
  };
  return options;
}

class Device {
public:
  // The argument for a buffer with these contents.
  template <class T> Argument buffer(const std::vector<T>& contents) {
    const Argument argument = unknown_buffer<T>(contents.size(), false);
    if (!contents.empty())
      std::memcpy(memory.buffer(argument.buffer).bytes().data(), contents.data(),
                  contents.size() * sizeof(T));
    return argument;
  }
  template <class T> Argument unknown_buffer(std::size_t elements, bool is_unknown = true) {
    const auto number = static_cast<std::uint32_t>(memory.buffer_count());
    EXPECT_TRUE(memory.add_buffer(fmt::format("b{}", number), elements * sizeof(T), is_unknown));
    return {Argument::Kind::buffer, 0, number, elements * sizeof(T)};
  }
  template <class T> std::vector<T> read(const Argument& argument) const {
    const auto bytes = memory.buffer(argument.buffer).bytes();
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }
  // In clusters.
  Expected<functional::RunResult> try_run_clusters(const Code& code, Dim3 grid, Dim3 block, Dim3 cluster,
                                                   std::vector<Argument> arguments,
                                                   std::uint32_t dynamic_shared_bytes = 0,
                                                   const functional::RunOptions& options = {}) {
    Launch launch;
    launch.grid = grid;
    launch.block = block;
    launch.cluster = cluster;
    launch.arguments = std::move(arguments);
    launch.dynamic_shared_bytes = dynamic_shared_bytes;
    return code.kernel().run(launch, memory, options);
  }
  Expected<functional::RunResult> try_run(const Code& code, Dim3 grid, Dim3 block,
                                          std::vector<Argument> arguments,
                                          const functional::RunOptions& options = {},
                                          std::uint32_t dynamic_shared_bytes = 0) {
    Launch launch;
    launch.grid = grid;
    launch.block = block;
    launch.arguments = std::move(arguments);
    launch.dynamic_shared_bytes = dynamic_shared_bytes;
    return code.kernel().run(launch, memory, options);
  }
  functional::RunResult run(const Code& code, Dim3 grid, Dim3 block, std::vector<Argument> arguments,
                            const functional::RunOptions& options = {}) {
    auto result = try_run(code, grid, block, std::move(arguments), options);
    EXPECT_TRUE(result) << render(result.error());
    return result ? std::move(*result) : functional::RunResult{};
  }

  functional::DeviceMemory memory;
};

// What a run that must fail says, on one line per diagnostic.
inline std::string error_of(const Expected<functional::RunResult>& result) {
  return result ? "" : render(result.error());
}

// Numbers without a pattern, the same every time.
inline std::uint32_t scrambled(std::uint32_t k) {
  std::uint64_t x = (k + 1ULL) * 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  return static_cast<std::uint32_t>(x >> 32);
}
template <class T, class F> std::vector<T> generated(std::size_t elements, F&& element) {
  std::vector<T> values(elements);
  for (std::size_t k = 0; k < elements; ++k)
    values[k] = static_cast<T>(element(static_cast<std::uint32_t>(k)));
  return values;
}
// Floats in [0, 1).
inline std::vector<float> random_floats(std::size_t elements, std::uint32_t seed) {
  return generated<float>(elements, [&](std::uint32_t k) {
    return static_cast<float>(scrambled(k ^ seed << 24) >> 8) * 0x1p-24F;
  });
}

} // namespace kerncast::functional_test
