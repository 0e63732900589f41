#include "unknown_places.h"

#include <algorithm>
#include <bit>

#include "support/mix_bits.h"
#include "warp/intern.h"

namespace kerncast::slice {
namespace {

// No address of a launch lies there. Buffers of unknown pointers, each as large as any.
constexpr std::uint64_t elsewhere = std::uint64_t{0xD} << 60;
constexpr std::uint64_t elsewhere_buffers = std::uint64_t{1} << 24;
constexpr std::uint64_t elsewhere_bytes = std::uint64_t{1} << 32;

} // namespace

UnknownPlaces::UnknownPlaces(const Program& program, const tasklist::Launch& launch)
    : program_(program), reaches_(program.accesses.size()) {
  const auto note = [this](const tasklist::Argument& a) {
    if (a.kind != tasklist::Argument::Kind::buffer)
      return;
    buffer_bytes_.resize(std::max<std::size_t>(buffer_bytes_.size(), a.buffer + std::size_t{1}));
    buffer_bytes_[a.buffer] = std::max(buffer_bytes_[a.buffer], a.buffer_bytes);
  };
  std::ranges::for_each(launch.arguments, note);
  for (const tasklist::StructMember& m : launch.members)
    note(m.value);
}

void UnknownPlaces::look_at(std::uint32_t access, const RelatedLanes& related,
                            const Lanes<std::uint64_t>& addresses) {
  Reach& reach = reaches_[access];
  for (const RelatedLanes::Group& group : related.groups())
    for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
      if (has(group.lanes, i)) {
        reach.lowest = std::min(reach.lowest, addresses[i]);
        reach.highest = std::max(reach.highest, addresses[i]);
      }
}

// A known part may lie somewhat in front of its buffer.
AddressExtent UnknownPlaces::extent_around(std::uint64_t address) const {
  const std::uint32_t bits = program_.address_bits;
  const std::uint64_t near = address + buffer_stride(bits) / 2;
  if (is_buffer_address(near, bits) && near > address) {
    const std::uint64_t number = buffer_at(near, bits);
    const std::uint64_t begin = buffer_address(static_cast<std::uint32_t>(number), bits);
    return {begin, number < buffer_bytes_.size() ? buffer_bytes_[number] : 0};
  }
  for (const Region& region : {program_.memory.global, program_.memory.constant, program_.memory.local})
    if (address >= region.base && address < region.base + region.bytes)
      return {region.base, region.bytes};
  return {};
}

AddressExtent UnknownPlaces::extent_of(LaneMask lanes, const Lanes<std::uint64_t>& addresses) const {
  const auto first = static_cast<std::uint32_t>(std::countr_zero(lanes));
  const AddressExtent extent = extent_around(addresses[first]);
  for (std::uint32_t i = first; i < lanes_per_warp; ++i)
    if (has(lanes, i) && extent_around(addresses[i]).begin != extent.begin)
      return {};
  return extent;
}

// What may be added to an address: so much that none of the access's leaves the extent.
std::uint64_t UnknownPlaces::distance(std::uint32_t access, Origin origin, std::uint64_t address) const {
  const AccessStep& step = program_.accesses[access];
  const AddressExtent extent = extent_around(address);
  const std::uint64_t lot = mix_bits(origin);
  if (extent.bytes == 0)
    return step.space == tasklist::Space::shared ? 0 : elsewhere + lot % elsewhere_buffers * elsewhere_bytes;
  const Reach& reach = reaches_[access];
  const std::uint64_t lowest = extent_around(reach.lowest).begin == extent.begin ? reach.lowest : address;
  const std::uint64_t highest = extent_around(reach.highest).begin == extent.begin ? reach.highest : address;
  const std::uint64_t reached = highest - lowest + step.bytes;
  std::uint64_t between = distance_of_places(step.bytes, origin);
  if ((lowest - extent.begin) % between + reached > extent.bytes)
    between = distance_of_places(step.bytes, Origins::none);
  // The known part leads so far behind one of the places.
  const std::uint64_t behind = (lowest - extent.begin) % between;
  const std::uint64_t taken = behind + reached;
  const std::uint64_t places = taken >= extent.bytes ? 1 : extent.bytes - taken + 1;
  return extent.begin + behind - lowest + lot % places / between * between;
}

void UnknownPlaces::place(std::uint32_t access, const RelatedLanes& related,
                          Lanes<std::uint64_t>& addresses) const {
  for (const RelatedLanes::Group& group : related.groups()) {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(group.lanes));
    const std::uint64_t moved = distance(access, group.origin, addresses[first]);
    for (std::uint32_t i = first; i < lanes_per_warp; ++i)
      if (has(group.lanes, i))
        addresses[i] += moved;
  }
}

} // namespace kerncast::slice
