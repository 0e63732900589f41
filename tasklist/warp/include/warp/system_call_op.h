// A decoded call of one of the driver's functions.
#pragma once

#include <array>

#include "warp/lane_file.h"

namespace kerncast::warp {

struct SystemCall {
  enum class Kind : std::uint8_t {
    print,     // vprintf: format, arguments; how many of them there are
    assertion, // __assertfail: text, file, line, function, size of a character
    allocate,  // malloc: bytes; address or null
    release,   // free: address
  };
  static constexpr std::uint32_t most_arguments = 5;

  Kind kind = Kind::print;
  std::array<SlotId, most_arguments> arguments{}; // Pool::none behind the last
  SlotId result;                                  // Pool::none: none, or not wanted
};

} // namespace kerncast::warp
