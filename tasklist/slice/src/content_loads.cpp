#include "content_loads.h"

#include <bit>
#include <cstring>

#include "ptx_parser/extension.h"
#include "warp/memory_map.h"

namespace kerncast::slice {
namespace {

static_assert(std::endian::native == std::endian::little, "buffers hold little-endian values");

} // namespace

const std::uint8_t* ContentLoads::find(std::uint64_t address, std::uint32_t bytes) {
  const auto lies_inside = [&] { return held_ != nullptr && address - base_ < held_->size(); };
  if (!lies_inside()) {
    const std::uint64_t number = warp::is_buffer_address(address, address_bits_)
                                     ? warp::buffer_at(address, address_bits_)
                                     : contents_->buffers.size();
    if (number >= contents_->buffers.size() || contents_->buffers[number] == nullptr)
      return nullptr;
    held_ = contents_->buffers[number].get();
    base_ = warp::buffer_address(static_cast<std::uint32_t>(number), address_bits_);
  }
  const std::uint64_t offset = address - base_;
  return lies_inside() && bytes <= held_->size() - offset ? &(*held_)[offset] : nullptr;
}

LaneMask ContentLoads::read(const MicroOp& op, LaneMask lanes, LaneFile& file) {
  loaded_ = 0;
  if (!contents_ || !op.loads_value())
    return 0;
  const SlotId base = op.sources[0];
  const bool is_narrow = base.pool == Pool::word;
  const auto offset = static_cast<std::uint64_t>(static_cast<std::int32_t>(op.immediate));
  const std::uint32_t bytes = ptx::size_bytes(op.type);
  for (LaneMask left = lanes & file.known(base); left != 0; left &= left - 1) {
    const auto i = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::uint64_t address = is_narrow
                                      ? (file.lanes<std::uint32_t>(base.index)[i] + offset) & 0xffffffffU
                                      : file.lanes<std::uint64_t>(base.index)[i] + offset;
    const std::uint8_t* const from = find(address, bytes);
    if (from == nullptr)
      continue;
    std::uint64_t bits = 0;
    std::memcpy(&bits, from, bytes);
    values_[i] = ptx::extended(bits, op.type);
    loaded_ |= LaneMask{1} << i;
  }
  return loaded_;
}

void ContentLoads::write(const MicroOp& op, std::uint32_t result, LaneFile& file) const {
  const SlotId to{op.destination.pool, result};
  restore_lanes(file, to, values_.data(), loaded_);
  file.known(to) |= loaded_;
}

} // namespace kerncast::slice
