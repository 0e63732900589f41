// Bulk copies and reductions of consecutive bytes, done at once, thread by thread.
#include <array>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "atomics.h"
#include "host_bytes.h"
#include "memory_unit.h"
#include "warp/cluster.h"

namespace kerncast::functional {

using warp::BulkCopy;
using warp::BulkSignal;
using warp::LaneFile;
using warp::LaneMask;
using warp::MemoryOp;
using warp::Pool;

namespace {

constexpr std::uint32_t bulk_alignment = 16;                // of addresses and sizes
constexpr std::array<std::uint8_t, 16> nothing_cancelled{}; // BulkCopy::is_answer

} // namespace

std::vector<std::optional<std::uint32_t>> MemoryUnit::targets_of(const BulkSignal& signal, std::uint32_t lane,
                                                                 LaneFile& file) {
  if (signal.ctas.pool == Pool::none)
    return {std::nullopt};
  std::vector<std::optional<std::uint32_t>> ranks;
  std::uint64_t ctas = lane_value(file, signal.ctas, lane) & 0xffff;
  if (signal.to_all)
    ctas = (std::uint64_t{1} << ctas) - 1;
  for (; ctas != 0; ctas &= ctas - 1)
    ranks.emplace_back(static_cast<std::uint32_t>(std::countr_zero(ctas)));
  return ranks;
}

bool MemoryUnit::deliver(const BulkSignal& signal, std::uint32_t lane, std::uint64_t bytes,
                         std::optional<std::uint32_t> rank, LaneFile& file) {
  if (!signal.signals)
    return true;
  read_addresses(signal.barrier, file);
  if (rank)
    addresses_[lane] = warp::cluster_address(addresses_[lane], *rank);
  return complete_bytes(lane, static_cast<std::uint32_t>(bytes));
}

std::uint8_t* MemoryUnit::bulk_bytes(MemoryOp::Kind kind, ptx::Space space, std::uint32_t lane,
                                     std::uint32_t bytes, std::uint32_t alignment) {
  MemoryOp access;
  access.kind = kind;
  const bool writes = kind != MemoryOp::Kind::load;
  if (addresses_[lane] % alignment != 0) {
    fail_unaligned(access, lane, bytes, writes);
    return nullptr;
  }
  return place_lane(access, space, lane, bytes, writes) ? places_[lane] : nullptr;
}

bool MemoryUnit::reduce_bytes(warp::Atomic function, ptx::Type type, std::uint8_t* to,
                              const std::uint8_t* from, std::uint64_t bytes, std::uint32_t lane) {
  const AtomicFunction apply = atomic_function(function, type);
  if (apply == nullptr)
    return fail("a reduction that elements of this type do not have", lane,
                "the manual's table of reductions says which there are");
  const std::uint32_t size = ptx::size_bytes(type);
  for (std::uint64_t at = 0; at < bytes; at += size) {
    std::uint64_t value = 0;
    std::memcpy(&value, from + at, size);
    apply(to + at, value, 0);
  }
  return true;
}

bool MemoryUnit::copy_masked_bytes(const BulkCopy& op, std::uint32_t lane, const std::uint8_t* from,
                                   std::uint32_t bytes, std::uint64_t mask) {
  const std::uint64_t to = addresses_[lane];
  for (std::uint32_t i = 0; i < bytes; ++i) {
    if ((mask >> (i % bulk_alignment) & 1) == 0)
      continue;
    addresses_[lane] = to + i;
    std::uint8_t* place = bulk_bytes(MemoryOp::Kind::store, op.to_space, lane, 1, 1);
    if (place == nullptr)
      return false;
    *place = from[i];
  }
  return true;
}

// .ignore_oob: bytes at the ends may lie outside of every buffer, and stay as they were where they are copied
// to.
bool MemoryUnit::copy_inner_bytes(const BulkCopy& op, std::uint32_t lane, std::uint32_t bytes,
                                  LaneFile& file) {
  const std::uint64_t before = lane_value(file, op.ignored_before, lane);
  const std::uint64_t behind = lane_value(file, op.ignored_behind, lane);
  if (before >= bulk_alignment || behind >= bulk_alignment)
    return fail(fmt::format("bulk copy that ignores {} and {} bytes", before, behind), lane,
                "at each end up to 15 bytes may be ignored");
  if (before + behind >= bytes)
    return true;
  const auto inner = static_cast<std::uint32_t>(bytes - before - behind);
  const auto place = [&](MemoryOp::Kind kind, ptx::Space space, const warp::AddressOf& address) {
    read_addresses(address, file);
    const bool is_aligned = addresses_[lane] % bulk_alignment == 0;
    addresses_[lane] += is_aligned ? before : 0;
    return bulk_bytes(kind, space, lane, inner, is_aligned ? 1 : bulk_alignment);
  };
  const std::uint8_t* from = place(MemoryOp::Kind::load, op.from_space, op.from);
  std::uint8_t* to = from == nullptr ? nullptr : place(MemoryOp::Kind::store, op.to_space, op.to);
  if (to == nullptr)
    return false;
  std::memcpy(to, from, inner);
  return true;
}

bool MemoryUnit::copy_bulk_bytes(const BulkCopy& op, std::uint32_t lane, std::uint32_t bytes,
                                 std::optional<std::uint32_t> rank, LaneFile& file) {
  if (op.ignored_before.pool != Pool::none)
    return copy_inner_bytes(op, lane, bytes, file);
  const std::uint8_t* from = nothing_cancelled.data();
  if (!op.is_answer) {
    read_addresses(op.from, file);
    from = bulk_bytes(MemoryOp::Kind::load, op.from_space, lane, bytes, bulk_alignment);
    if (from == nullptr)
      return false;
  }
  read_addresses(op.to, file);
  if (rank)
    addresses_[lane] = warp::cluster_address(addresses_[lane], *rank);
  if (op.mask.pool != Pool::none && addresses_[lane] % bulk_alignment == 0)
    return copy_masked_bytes(op, lane, from, bytes, lane_value(file, op.mask, lane));
  const auto kind = op.reduces ? MemoryOp::Kind::atomic : MemoryOp::Kind::store;
  std::uint8_t* to = bulk_bytes(kind, op.to_space, lane, bytes, bulk_alignment);
  if (to == nullptr)
    return false;
  if (op.reduces)
    return reduce_bytes(*op.reduces, op.type, to, from, bytes, lane);
  std::memmove(to, from, bytes);
  return true;
}

bool MemoryUnit::bulk_copy(const BulkCopy& op, LaneMask lanes, LaneFile& file) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    const auto bytes = static_cast<std::uint32_t>(lane_value(file, op.bytes, lane));
    if (bytes % bulk_alignment != 0)
      return fail(fmt::format("bulk copy of {} bytes", bytes), lane, "sizes are multiples of 16 bytes");
    // To the same places in each CTA, and each one's barrier is signalled.
    for (const auto& rank : targets_of(op.signal, lane, file))
      if ((bytes > 0 && !copy_bulk_bytes(op, lane, bytes, rank, file)) ||
          !deliver(op.signal, lane, bytes, rank, file))
        return false;
  }
  return true;
}

} // namespace kerncast::functional
