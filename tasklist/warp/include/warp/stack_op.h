// Decoded stacksave, stackrestore and alloca (PTX ISA, section 9.7.17).
#pragma once

#include "warp/lane_file.h"

namespace kerncast::warp {

struct StackOp {
  enum class Kind : std::uint8_t {
    save,     // into `destination`: where the stack ends
    restore,  // from `source`
    allocate, // `source` bytes; where they lie into `destination`
  };
  static constexpr std::uint32_t default_alignment = 8;

  Kind kind = Kind::save;
  SlotId destination; // Pool::none: none, or not wanted
  SlotId source;
  std::uint32_t alignment = default_alignment; // bytes, a power of two
};

} // namespace kerncast::warp
