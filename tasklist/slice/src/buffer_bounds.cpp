#include "buffer_bounds.h"

#include <bit>

#include <fmt/format.h>

#include "warp/cluster.h"
#include "warp/memory_map.h"

namespace kerncast::slice {

using tasklist::Argument;

BufferBounds::BufferBounds(const Program& program, const tasklist::Launch& launch)
    : program_(program), shared_bytes_(program.memory.shared.bytes + launch.dynamic_shared_bytes) {
  for (std::uint32_t a = 0; a < launch.arguments.size(); ++a)
    add(launch.arguments[a], a);
  for (const tasklist::StructMember& m : launch.members)
    add(m.value, m.argument);
}

void BufferBounds::add(const Argument& argument, std::uint32_t number) {
  if (argument.kind != Argument::Kind::buffer || argument.buffer_bytes == 0)
    return;
  if (argument.buffer >= buffers_.size())
    buffers_.resize(argument.buffer + std::size_t{1});
  Buffer& buffer = buffers_[argument.buffer];
  if (buffer.bytes == 0)
    buffer = {argument.buffer_bytes, number};
}

BufferBounds::Place BufferBounds::place_of(std::uint64_t address) const {
  // Up to the middle of the gap it is the one before that was missed, then the next.
  const std::uint64_t stride = warp::buffer_stride(program_.address_bits);
  const std::uint64_t from_first = address + stride / 2 - warp::buffer_address(0, program_.address_bits);
  const std::uint64_t number = from_first / stride;
  const auto offset = static_cast<std::int64_t>(from_first % stride) - static_cast<std::int64_t>(stride / 2);
  return {number < buffers_.size() ? buffers_[number] : Buffer{}, offset};
}

bool BufferBounds::is_outside(std::uint64_t address, std::uint32_t bytes) const {
  const auto [buffer, offset] = place_of(address);
  return buffer.bytes != 0 && (offset < 0 || static_cast<std::uint64_t>(offset) + bytes > buffer.bytes);
}

// Of shared and local memory, and of the addresses around null, where nothing lies.
bool BufferBounds::is_outside_of_own(const warp::AccessStep& step, std::uint64_t address) const {
  constexpr std::uint64_t null_bytes = 4096;
  const warp::Region& local = program_.memory.local;
  switch (step.space) {
  case tasklist::Space::shared:
    return (address > shared_bytes_ || address + step.bytes > shared_bytes_) &&
           !warp::is_cluster_address(address);
  case tasklist::Space::local:
    return address - local.base > local.bytes || address - local.base + step.bytes > local.bytes;
  case tasklist::Space::global:
    return address < null_bytes;
  case tasklist::Space::generic: // shared memory begins at 0
    return address < null_bytes && address >= shared_bytes_;
  default:
    return false;
  }
}

std::optional<OutsideAccess> BufferBounds::find(std::uint32_t access, const Lanes<std::uint64_t>& addresses,
                                                LaneMask lanes) const {
  const warp::AccessStep& step = program_.accesses[access];
  const bool is_own = step.space == tasklist::Space::shared || step.space == tasklist::Space::local;
  if (lanes == 0 || step.may_lie_outside || (!is_own && buffers_.empty()))
    return std::nullopt;
  const std::uint64_t unaligned = step.alignment - 1U;
  LaneMask wrong = 0;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    wrong |= (addresses[i] & unaligned) != 0 || is_outside_of_own(step, addresses[i]) ? LaneMask{1} << i : 0;
  if ((wrong &= lanes) != 0) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(wrong));
    return OutsideAccess{access, lane, addresses[lane]};
  }
  return is_own ? std::nullopt : find_in_buffers(access, addresses, lanes);
}

std::optional<OutsideAccess> BufferBounds::find_in_buffers(std::uint32_t access,
                                                           const Lanes<std::uint64_t>& addresses,
                                                           LaneMask lanes) const {
  const warp::AccessStep& step = program_.accesses[access];
  // Nearly always all lanes lie in one buffer.
  const auto first = static_cast<std::uint32_t>(std::countr_zero(lanes));
  const Place place = place_of(addresses[first]);
  const std::uint64_t base = addresses[first] - static_cast<std::uint64_t>(place.offset);
  const std::uint64_t room = place.buffer.bytes < step.bytes ? 0 : place.buffer.bytes - step.bytes + 1;
  LaneMask inside = 0;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    inside |= addresses[i] - base < room ? LaneMask{1} << i : 0;
  for (LaneMask left = lanes & ~inside; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    if (is_outside(addresses[lane], step.bytes))
      return OutsideAccess{access, lane, addresses[lane]};
  }
  return std::nullopt;
}

std::string BufferBounds::describe_place(const OutsideAccess& outside) const {
  const warp::AccessStep& step = program_.accesses[outside.access];
  if (step.space == tasklist::Space::shared)
    return fmt::format("at shared {:#x}, where the CTA has {} bytes", outside.address, shared_bytes_);
  const warp::Region& local = program_.memory.local;
  if (step.space == tasklist::Space::local)
    return fmt::format("at byte {} of the thread's local memory, which has {} bytes",
                       static_cast<std::int64_t>(outside.address - local.base), local.bytes);
  const auto [buffer, offset] = place_of(outside.address);
  if (buffer.bytes == 0)
    return fmt::format("at address {:#x}{}", outside.address,
                       is_outside_of_own(step, outside.address) ? ", where no memory lies" : "");
  const std::string where =
      offset < 0 ? fmt::format("{} bytes before", -offset) : fmt::format("at byte {} of", offset);
  return fmt::format("{} argument {}, which is a buffer of {} bytes", where, buffer.argument + 1,
                     buffer.bytes);
}

std::string BufferBounds::describe(const OutsideAccess& outside) const {
  const warp::AccessStep& step = program_.accesses[outside.access];
  return fmt::format("{} bytes {}{}", step.bytes, describe_place(outside),
                     outside.address % step.alignment != 0
                         ? fmt::format("; addresses must be multiples of {}", step.alignment)
                         : "");
}

} // namespace kerncast::slice
