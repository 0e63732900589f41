// libFuzzer's entry: any bytes are read as a container and all that it holds is unpacked. Build with clang
// and -DKERNCAST_FUZZ=ON; run fuzz_containers_libfuzzer tests/fuzz/containers/corpus.
#include <cstddef>
#include <cstdint>
#include <string>

#include "containers/container.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const kerncast::SourceText file("fuzz.fatbin", std::string(reinterpret_cast<const char*>(data), size));
  const auto container = kerncast::containers::read_container(file);
  if (!container) {
    (void)kerncast::render(container.error());
    return 0;
  }
  for (const kerncast::containers::Entry& entry : container->entries)
    (void)kerncast::containers::unpack(file, entry);
  return 0;
}
