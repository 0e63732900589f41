// Values of narrow types in 64 bits (PTX ISA, section 9.4.1, "Operand Size Exceeding Instruction-Type Size").
#pragma once

#include <cstdint>

#include "ptx_parser/opcode.h"

namespace kerncast::ptx {

// The lowest bytes of `bits`, 1 to 8 of them, with the sign above.
inline std::uint64_t sign_extended(std::uint64_t bits, std::uint32_t bytes) {
  const std::uint32_t unused = 64 - 8 * bytes;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
}

// Those that the type has, with their sign or zeros above. All bits of types without a size, or a wider one.
inline std::uint64_t extended(std::uint64_t bits, Type type) {
  const std::uint32_t bytes = size_bytes(type);
  if (bytes == 0 || bytes >= sizeof bits)
    return bits;
  const std::uint32_t unused = 64 - 8 * bytes;
  return is_signed(type) ? sign_extended(bits, bytes) : bits << unused >> unused;
}

} // namespace kerncast::ptx
