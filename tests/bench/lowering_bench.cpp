// How fast kernels are lowered: from the syntax tree to the tasklist, and on to one GPU's machine operations.
//
//   lowering_bench FILE.ptx GPU [TIMES]
//
// Prints one line of JSON. `lower_s` and `program_s` are CPU seconds for all kernels of the file, of the
// fastest of TIMES: to tasklists alone, and kernel by kernel to the machine program. `instructions` are the
// kernels' PTX instructions, those of the functions that they call not included.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "allocator/freed_memory.h"
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

std::vector<const ptx::Function*> kernels_of(const ptx::Module& module) {
  std::vector<const ptx::Function*> kernels;
  for (const ptx::Function& function : module.functions)
    if (function.is_entry && function.has_body)
      kernels.push_back(&function);
  return kernels;
}

// CPU seconds of the fastest of some runs.
template <class F> double least_of(int runs, const F& run) {
  double least = std::numeric_limits<double>::max();
  for (int i = 0; i < runs; ++i) {
    const double start = bench::cpu_seconds();
    run();
    least = std::min(least, bench::cpu_seconds() - start);
  }
  return least;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: lowering_bench FILE.ptx GPU [TIMES]\n");
    return 2;
  }
  keep_freed_memory(); // as kerncast does
  const int runs = argc > 3 ? std::max(1, std::atoi(argv[3])) : 1;
  const configs::ConfigPath configs({KERNCAST_SOURCE_DIR "/configs"});
  const configs::Gpu gpu = value_or_exit(configs::load_gpu(argv[2], {}, configs));
  const ptx::Module module = value_or_exit(ptx::parse(value_or_exit(read_source(argv[1]))));
  const std::vector<const ptx::Function*> kernels = kernels_of(module);
  std::size_t instructions = 0;
  for (const ptx::Function* kernel : kernels)
    instructions += kernel->instructions.size();
  const double lower_s = least_of(runs, [&] {
    for (const ptx::Function* kernel : kernels)
      value_or_exit(lowering::lower_compiled(module, *kernel));
  });
  const double program_s = least_of(runs, [&] {
    for (const ptx::Function* kernel : kernels)
      value_or_exit(machine::annotate(value_or_exit(lowering::lower_compiled(module, *kernel)).list, gpu));
  });
  fmt::print("{{\"kernels\": {}, \"instructions\": {}, \"lower_s\": {:.6f}, \"program_s\": {:.6f}}}\n",
             kernels.size(), instructions, lower_s, program_s);
  return 0;
}
