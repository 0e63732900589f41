#include "functional/device_heap.h"

#include <algorithm>
#include <iterator>

namespace kerncast::functional {
namespace {

// Of a block in the heap; one of no bytes has an address of its own, too.
std::uint64_t room_of(std::uint64_t bytes) {
  return (std::max<std::uint64_t>(bytes, 1) + DeviceHeap::alignment - 1) / DeviceHeap::alignment *
         DeviceHeap::alignment;
}

} // namespace

std::optional<std::uint64_t> DeviceHeap::allocate(std::uint64_t bytes, std::uint64_t reach) {
  if (bytes > bytes_)
    return std::nullopt;
  const std::uint64_t room = room_of(bytes);
  const auto hole = std::ranges::find_if(free_, [room](const auto& h) { return h.second >= room; });
  if (hole == free_.end() || room > reach || hole->first > reach - room)
    return std::nullopt;
  if (data_.empty()) {
    data_.resize(bytes_);
    written_.resize(bytes_);
  }
  const auto [offset, hole_bytes] = *hole;
  free_.erase(hole);
  if (hole_bytes > room)
    free_[offset + room] = hole_bytes - room;
  blocks_[offset] = bytes;
  std::fill_n(&written_[offset], room, std::uint8_t{0});
  return offset;
}

bool DeviceHeap::release(std::uint64_t offset) {
  const auto block = blocks_.find(offset);
  if (block == blocks_.end())
    return false;
  auto hole = free_.emplace(offset, room_of(block->second)).first;
  blocks_.erase(block);
  if (const auto next = std::next(hole); next != free_.end() && hole->first + hole->second == next->first) {
    hole->second += next->second;
    free_.erase(next);
  }
  if (hole == free_.begin())
    return true;
  if (const auto before = std::prev(hole); before->first + before->second == hole->first) {
    before->second += hole->second;
    free_.erase(hole);
  }
  return true;
}

std::optional<DeviceHeap::Block> DeviceHeap::block_at(std::uint64_t offset) const {
  const auto behind = blocks_.upper_bound(offset);
  if (behind == blocks_.begin())
    return std::nullopt;
  const auto block = std::prev(behind);
  return offset - block->first < block->second ? std::optional(Block{block->first, block->second})
                                               : std::nullopt;
}

} // namespace kerncast::functional
