// How fast a PTX module is parsed and checked, in one thread, and how much memory its tree takes.
//
//   parser_bench FILE.ptx [TIMES]
//
// Prints one line of JSON. Times are CPU seconds of ptx::parse and of the SourceText it reads; `first_s` is
// that of the first parse, which also pays for the memory it is the first to touch, `least_s` of the fastest
// of TIMES. Memory is the peak resident size of the process after the first parse, less that before the file
// was read.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "cpu_time.h"
#include "ptx_parser/parser.h"
#include "support/files.h"

namespace {

using namespace kerncast;

// Of this program alone; getrusage would count what ran before exec too.
std::size_t peak_resident_bytes() {
  std::ifstream status("/proc/self/status");
  std::string key;
  for (std::size_t kib = 0; status >> key; status.ignore(256, '\n'))
    if (key == "VmHWM:" && status >> kib)
      return kib * 1024;
  return 0;
}

struct Parsed {
  std::size_t bytes = 0;
  double cpu_s = 0;
  std::size_t functions = 0;
  std::size_t instructions = 0;
  std::size_t labels = 0;
};

Expected<Parsed> parse(const char* path) {
  Expected<std::string> text = read_file(path);
  if (!text)
    return tl::unexpected(text.error());
  Parsed parsed;
  parsed.bytes = text->size();
  const double start = bench::cpu_seconds();
  const auto module = ptx::parse(SourceText(path, std::move(*text)));
  parsed.cpu_s = bench::cpu_seconds() - start;
  if (!module)
    return tl::unexpected(module.error());
  for (const ptx::Function& function : module->functions) {
    parsed.functions += function.has_body ? 1 : 0;
    parsed.instructions += function.instructions.size();
    parsed.labels += function.labels.size();
  }
  return parsed;
}

template <class T> T value_or_exit(Expected<T> expected) {
  if (!expected) {
    fmt::print(stderr, "{}", render(expected.error()));
    std::exit(1);
  }
  return std::move(*expected);
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: parser_bench FILE.ptx [TIMES]\n");
    return 2;
  }
  const int times = argc > 2 ? std::max(1, std::atoi(argv[2])) : 1;
  const std::size_t before = peak_resident_bytes();
  const Parsed first = value_or_exit(parse(argv[1]));
  const std::size_t peak = peak_resident_bytes() - before;
  double least_s = first.cpu_s;
  for (int i = 1; i < times; ++i)
    least_s = std::min(least_s, value_or_exit(parse(argv[1])).cpu_s);
  fmt::print("{{\"bytes\": {}, \"functions\": {}, \"instructions\": {}, \"labels\": {}, \"first_s\": {:.6f}, "
             "\"least_s\": {:.6f}, \"peak_bytes\": {}}}\n",
             first.bytes, first.functions, first.instructions, first.labels, first.cpu_s, least_s, peak);
  return 0;
}
