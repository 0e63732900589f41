#pragma once

#include <cstdint>

#include "ptx_parser/opcode.h"
#include "tasklist/tasklist.h"

namespace kerncast::lowering {

inline tasklist::ValueClass class_of_bytes(std::uint64_t bytes) {
  using enum tasklist::ValueClass;
  if (bytes <= 4) {
    return bytes <= 2 ? b16 : b32;
  }
  return bytes <= 8 ? b64 : b128;
}

} // namespace kerncast::lowering
