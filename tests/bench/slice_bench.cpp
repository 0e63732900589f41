// Speed of execution without a GPU: lane instructions per CPU second of functional execution, and what slice
// execution of a launch with ten million CTAs costs.
//
//   slice_bench run FILE.ptx GRID BLOCK ITERATIONS   functional: kernel (in, out, n), all of its CTAs
//   slice_bench affine FILE.ptx                      slice: kernel (in, out, width, height), 3163 x 3163 CTAs
//
// Prints JSON. Times are CPU time, user and system.
#include <cstdlib>
#include <optional>
#include <string>

#include <sys/resource.h>

#include <fmt/format.h>

#include "cpu_time.h"
#include "functional/kernel.h"
#include "lowering/lower.h"
#include "ptx_parser/parser.h"
#include "slice/execute.h"
#include "support/files.h"

namespace {

using namespace kerncast;
using bench::cpu_seconds;
using tasklist::Argument;

struct Code {
  ptx::Module module;
  const ptx::Function* function = nullptr;
  tasklist::Tasklist list;
};

Expected<Code> read(const std::string& path) {
  Code code;
  auto source = read_source(path);
  if (!source)
    return tl::unexpected(source.error());
  auto module = ptx::parse(std::move(*source));
  if (!module)
    return tl::unexpected(module.error());
  code.module = std::move(*module);
  auto function = lowering::select_kernel(code.module, "");
  if (!function)
    return tl::unexpected(function.error());
  code.function = *function;
  auto list = lowering::lower(code.module, *code.function);
  if (!list)
    return tl::unexpected(list.error());
  code.list = std::move(*list);
  return code;
}

Argument integer(std::uint32_t value) { return {Argument::Kind::u32, value, 0, 0}; }
Argument buffer(std::uint32_t number, std::uint64_t bytes) {
  return {Argument::Kind::buffer, 0, number, bytes};
}

Expected<void> run(const Code& code, std::uint32_t grid, std::uint32_t block, std::uint32_t iterations) {
  functional::DeviceMemory memory;
  const std::uint64_t bytes = std::uint64_t{4} * grid * block;
  if (!memory.add_buffer("in", bytes, false) || !memory.add_buffer("out", bytes, false))
    return fail("no memory for the buffers");
  tasklist::Launch launch;
  launch.grid = {grid, 1, 1};
  launch.block = {block, 1, 1};
  launch.arguments = {buffer(0, bytes), buffer(1, bytes), integer(iterations)};
  const functional::Kernel kernel(code.module, *code.function, code.list);
  const double start = cpu_seconds();
  const auto result = kernel.run(launch, memory);
  if (!result)
    return tl::unexpected(result.error());
  const double spent_s = cpu_seconds() - start;
  fmt::print("{{\"lane_instructions\": {}, \"cpu_s\": {}}}\n", result->lane_instructions, spent_s);
  return {};
}

Expected<void> affine(const Code& code) {
  constexpr std::uint32_t ctas = 3163; // on a side: 10,004,569 in all
  tasklist::Launch launch;
  launch.grid = {ctas, ctas, 1};
  launch.block = {16, 16, 1};
  const std::uint32_t size = 16 * ctas - 5;
  // Of unknown size: indices of 32 bits wrap in so large a grid.
  launch.arguments = {buffer(0, 0), buffer(1, 0), integer(size), integer(size)};
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  const double start = cpu_seconds();
  const auto behaviour = slice::execute_slice(code.module, *code.function, code.list, launch);
  if (!behaviour)
    return tl::unexpected(behaviour.error());
  const double spent_s = cpu_seconds() - start;
  getrusage(RUSAGE_SELF, &after);
  fmt::print("{{\"ctas\": {}, \"ctas_executed\": {}, \"classes\": {}, \"cpu_s\": {}, \"peak_bytes\": {}}}\n",
             launch.grid.count(), behaviour->ctas_executed, behaviour->classes.size(), spent_s,
             1024 * after.ru_maxrss);
  return {};
}

std::optional<std::uint32_t> number(const char* text) {
  const unsigned long value = std::strtoul(text, nullptr, 10);
  return value == 0 || value > UINT32_MAX ? std::nullopt : std::optional(static_cast<std::uint32_t>(value));
}

} // namespace

int main(int argc, char** argv) {
  const bool runs = argc == 6 && std::string(argv[1]) == "run";
  if (!runs && !(argc == 3 && std::string(argv[1]) == "affine")) {
    fmt::print(stderr, "usage: slice_bench run FILE.ptx GRID BLOCK ITERATIONS | affine FILE.ptx\n");
    return 2;
  }
  const auto done = read(argv[2]).and_then([&](const Code& code) -> Expected<void> {
    if (!runs)
      return affine(code);
    const auto grid = number(argv[3]), block = number(argv[4]), iterations = number(argv[5]);
    if (!grid || !block || !iterations)
      return fail("GRID, BLOCK and ITERATIONS are whole numbers from 1");
    return run(code, *grid, *block, *iterations);
  });
  if (!done)
    fmt::print(stderr, "{}", render(done.error()));
  return done ? 0 : 1;
}
