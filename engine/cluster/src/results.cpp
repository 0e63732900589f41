#include "results.h"

#include <cassert>
#include <cstdint>
#include <cstring>

namespace kerncast::cluster {

void pack(const Results& results, std::string& message) {
  for (const std::string& result : results) {
    const std::uint64_t size = result.size();
    char raw[sizeof size];
    std::memcpy(raw, &size, sizeof size);
    message.append(raw, sizeof raw);
    message += result;
  }
}

Results unpack(std::string_view bytes) {
  Results results;
  while (!bytes.empty()) {
    std::uint64_t size = 0;
    assert(bytes.size() >= sizeof size && "a message is unpacked as it was packed");
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes.remove_prefix(sizeof size);
    assert(bytes.size() >= size && "a message is unpacked as it was packed");
    results.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return results;
}

} // namespace kerncast::cluster
