// The heap that kernels take memory from with malloc and give it back to with free.
//
// Blocks lie at multiples of 16 bytes, the first place where one fits. Leaves out: what the driver needs of
// the heap for itself, so that a kernel gets more here than on a device.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace kerncast::functional {

class DeviceHeap {
public:
  static constexpr std::uint64_t default_bytes = std::uint64_t{8} << 20; // cudaLimitMallocHeapSize
  static constexpr std::uint64_t alignment = 16;

  explicit DeviceHeap(std::uint64_t bytes = default_bytes) : bytes_(bytes), free_{{0, bytes}} {}

  struct Block {
    std::uint64_t offset = 0; // in the heap
    std::uint64_t bytes = 0;  // asked for
  };
  // Where the block lies, in the first `reach` bytes; nothing if there is no room. Its contents are unknown.
  std::optional<std::uint64_t> allocate(std::uint64_t bytes, std::uint64_t reach = UINT64_MAX);
  // False if no block begins there.
  bool release(std::uint64_t offset);
  // The block around a place.
  std::optional<Block> block_at(std::uint64_t offset) const;

  std::uint64_t bytes() const { return bytes_; }
  // Only where there are blocks.
  std::uint8_t* data() { return data_.data(); }
  // One byte per byte, not zero where it was written.
  std::uint8_t* written() { return written_.data(); }

private:
  std::uint64_t bytes_;
  std::map<std::uint64_t, std::uint64_t> free_;   // bytes by offset, none beside each other
  std::map<std::uint64_t, std::uint64_t> blocks_; // bytes by offset
  std::vector<std::uint8_t> data_, written_;      // empty before the first block
};

} // namespace kerncast::functional
