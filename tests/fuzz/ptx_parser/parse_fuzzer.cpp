// libFuzzer's entry: any bytes are parsed. Build with clang and -DKERNCAST_FUZZ=ON; run
// fuzz_ptx_parser_libfuzzer tests/fuzz/ptx_parser/corpus.
#include <cstddef>
#include <cstdint>
#include <string>

#include "ptx_parser/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kerncast::SourceText source("fuzz.ptx", std::string(reinterpret_cast<const char*>(data), size));
  const auto module = kerncast::ptx::parse(std::move(source));
  if (!module)
    (void)kerncast::render(module.error());
  return 0;
}
