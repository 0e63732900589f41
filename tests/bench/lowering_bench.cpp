// How fast kernels are lowered: from the syntax tree to the tasklist, and on to one GPU's machine operations.
//
//   lowering_bench FILE.ptx GPU [TIMES]
//
// Prints one line of JSON. `lower_s` and `annotate_s` are CPU seconds for all kernels of the file, of the
// fastest of TIMES; `instructions` are the kernels' PTX instructions, those of the functions that they call
// not included.
#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "configs/loader.h"
#include "cpu_time.h"
#include "lowering/lower_compiled.h"
#include "machine/annotate.h"
#include "ptx_parser/parser.h"
#include "support/files.h"

namespace {

using namespace kerncast;

template <class T> T value_or_exit(Expected<T> expected) {
  if (!expected) {
    fmt::print(stderr, "{}", render(expected.error()));
    std::exit(1);
  }
  return std::move(*expected);
}

struct Times {
  double lower_s = 0, annotate_s = 0;
  std::size_t kernels = 0, instructions = 0;
};

Times lower_all(const ptx::Module& module, const configs::Gpu& gpu) {
  Times times;
  for (const ptx::Function& kernel : module.functions) {
    if (!kernel.is_entry || !kernel.has_body)
      continue;
    const double start = bench::cpu_seconds();
    const auto compiled = value_or_exit(lowering::lower_compiled(module, kernel));
    const double lowered = bench::cpu_seconds();
    const auto program = value_or_exit(machine::annotate(compiled.list, gpu));
    times.lower_s += lowered - start;
    times.annotate_s += bench::cpu_seconds() - lowered;
    times.instructions += kernel.instructions.size();
    ++times.kernels;
  }
  return times;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: lowering_bench FILE.ptx GPU [TIMES]\n");
    return 2;
  }
  const int runs = argc > 3 ? std::max(1, std::atoi(argv[3])) : 1;
  const configs::ConfigPath configs({KERNCAST_SOURCE_DIR "/configs"});
  const configs::Gpu gpu = value_or_exit(configs::load_gpu(argv[2], {}, configs));
  const ptx::Module module = value_or_exit(ptx::parse(value_or_exit(read_source(argv[1]))));
  Times least = lower_all(module, gpu);
  for (int i = 1; i < runs; ++i) {
    const Times again = lower_all(module, gpu);
    least.lower_s = std::min(least.lower_s, again.lower_s);
    least.annotate_s = std::min(least.annotate_s, again.annotate_s);
  }
  fmt::print("{{\"kernels\": {}, \"instructions\": {}, \"lower_s\": {:.6f}, \"annotate_s\": {:.6f}}}\n",
             least.kernels, least.instructions, least.lower_s, least.annotate_s);
  return 0;
}
