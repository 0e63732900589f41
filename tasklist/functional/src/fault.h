// Why execution of a kernel ended early.
#pragma once

#include <cstdint>
#include <string>

namespace kerncast::functional {

struct Fault {
  std::string message;
  std::string note;
  std::uint32_t line = 0; // of the PTX; 0: of the kernel as a whole
  std::uint32_t warp = 0;
  std::uint32_t lane = 0;
};

} // namespace kerncast::functional
