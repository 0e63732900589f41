#include "support/byte_parts.h"

#include <cassert>
#include <cstdint>
#include <cstring>

namespace kerncast {

void append_part(std::string_view part, std::string& bytes) {
  const std::uint64_t size = part.size();
  char raw[sizeof size];
  std::memcpy(raw, &size, sizeof size);
  bytes.append(raw, sizeof raw);
  bytes += part;
}

std::string_view take_part(std::string_view& bytes) {
  std::uint64_t size = 0;
  assert(bytes.size() >= sizeof size && "parts are taken as they were appended");
  std::memcpy(&size, bytes.data(), sizeof size);
  const std::string_view part = bytes.substr(sizeof size, size);
  bytes.remove_prefix(sizeof size + size);
  return part;
}

} // namespace kerncast
