// tcgen05.alloc, dealloc, relinquish_alloc_permit and commit: what meets shared memory.
//
// On a device alloc waits while other CTAs of the SM hold the columns; here they hold none.
#include <bit>

#include <fmt/format.h>

#include "host_bytes.h"
#include "memory_unit.h"
#include "warp/cluster.h"

namespace kerncast::functional {

using ptx::Space;
using warp::LaneFile;
using warp::LaneMask;
using warp::MemoryOp;
using warp::TensorMemoryOp;
using TensorMemoryKind = warp::TensorMemoryOp::Kind;

bool TensorUnit::allocate(const TensorMemoryOp& op, LaneFile& file, std::uint32_t& column) {
  const auto count = static_cast<std::uint32_t>(lane_value(file, op.value, 0));
  if (!check_group(op.of_pair, 0))
    return false;
  if (!std::has_single_bit(count) || count < TensorMemory::fewest_columns || count > TensorMemory::columns)
    return fail(
        fmt::format("tcgen05.alloc of {} columns", count),
        fmt::format("a power of two from {} to {}", TensorMemory::fewest_columns, TensorMemory::columns));
  if (!memory_.may_allocate())
    return fail("tcgen05.alloc after tcgen05.relinquish_alloc_permit", "allocate before");
  const auto first = memory_.allocate(count, line_, warp_);
  if (!first)
    return fail(
        fmt::format("tcgen05.alloc of {} columns, of which the CTA has not so many free in a row", count),
        fmt::format("a CTA has {}, and gets back what tcgen05.dealloc returns", TensorMemory::columns));
  column = *first;
  return true;
}

bool TensorUnit::free(const TensorMemoryOp& op, LaneFile& file) {
  const std::uint64_t bits = lane_value(file, op.place, 0), count = lane_value(file, op.value, 0);
  const auto place = warp::TensorAddress::of(bits);
  if (!check_group(op.of_pair, 0))
    return false;
  const bool exists = place.lane == 0 && memory_.free(place.column, static_cast<std::uint32_t>(count));
  return exists || fail(fmt::format("tcgen05.dealloc of {} columns at {:#x}, which are not allocated as such",
                                    count, bits),
                        "each allocation is returned once, whole, by the address that tcgen05.alloc stored");
}

bool TensorUnit::relinquish(const TensorMemoryOp& op) {
  memory_.relinquish();
  return check_group(op.of_pair, 0);
}

// The address goes to shared memory.
bool MemoryUnit::allocate_tensors(const TensorMemoryOp& op, LaneFile& file) {
  MemoryOp access;
  access.kind = MemoryOp::Kind::store;
  access.element_bytes = sizeof(std::uint32_t);
  std::uint32_t column = 0;
  if (!tensors_.allocate(op, file, column))
    return fail_tensors();
  read_addresses(op.address, file);
  if (!resolve_lane(access, Space::generic, 0, sizeof column, true) || meets_race(access, 0, true))
    return false;
  write(places_[0], column);
  return true;
}

// One arrival, as what came before is done.
bool MemoryUnit::commit_tensors(const TensorMemoryOp& op, std::uint32_t lane, LaneFile& file) {
  if (!tensors_.check_group(op.of_pair, lane))
    return fail_tensors();
  MemoryOp access;
  access.kind = MemoryOp::Kind::atomic;
  read_addresses(op.address, file);
  const std::uint64_t address = addresses_[lane];
  const bool has_mask = op.value.pool != warp::Pool::none;
  std::uint64_t ctas = has_mask ? lane_value(file, op.value, lane) & 0xffff : 1;
  for (; ctas != 0; ctas &= ctas - 1) {
    if (has_mask)
      addresses_[lane] = warp::cluster_address(address, static_cast<std::uint32_t>(std::countr_zero(ctas)));
    if (!resolve_lane(access, Space::generic, lane, 8, true) ||
        !change_mbarrier(warp::MbarrierOp::Kind::arrive, lane, 1))
      return false;
  }
  return true;
}

bool MemoryUnit::tensor_operation(const TensorMemoryOp& op, std::uint32_t lane, LaneFile& file) {
  switch (op.kind) {
  case TensorMemoryKind::commit:
    return commit_tensors(op, lane, file);
  case TensorMemoryKind::copy:
    return tensors_.copy(op, lane, file) || fail_tensors();
  default:
    return tensors_.shift(op, lane, file) || fail_tensors();
  }
}

bool MemoryUnit::tensor_memory(const TensorMemoryOp& op, LaneMask lanes, LaneFile& file) {
  const bool of_warp = op.kind == TensorMemoryKind::alloc || op.kind == TensorMemoryKind::dealloc ||
                       op.kind == TensorMemoryKind::relinquish;
  if (of_warp && lanes != warp::all_lanes)
    return fail("an allocation that not all threads of the warp execute", 0, "its result is undefined");
  if (op.kind == TensorMemoryKind::alloc)
    return allocate_tensors(op, file);
  if (of_warp)
    return (op.kind == TensorMemoryKind::dealloc ? tensors_.free(op, file) : tensors_.relinquish(op)) ||
           fail_tensors();
  for (; lanes != 0; lanes &= lanes - 1)
    if (!tensor_operation(op, static_cast<std::uint32_t>(std::countr_zero(lanes)), file))
      return false;
  return true;
}

bool MemoryUnit::tensor_move(const warp::TensorMove& op, LaneMask lanes, LaneFile& file) {
  return tensors_.move(op, lanes, file) || fail_tensors();
}

bool MemoryUnit::tensor_multiply(const warp::TensorMultiply& op, LaneMask lanes, LaneFile& file) {
  return tensors_.multiply(op, lanes, file) || fail_tensors();
}

bool MemoryUnit::fail_tensors() {
  fault_ = tensors_.fault();
  return false;
}

} // namespace kerncast::functional
