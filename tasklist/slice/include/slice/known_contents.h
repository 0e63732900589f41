// What buffers hold while a launch runs, of those that neither it nor anything before it writes: its slice
// may load from them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace kerncast::slice {

struct KnownContents {
  using Bytes = std::shared_ptr<const std::vector<std::uint8_t>>;
  std::vector<Bytes> buffers; // by Argument::buffer; null, and behind the end: not known
};

} // namespace kerncast::slice
