// mbarrier objects, thread by thread.
#include <bit>

#include <fmt/format.h>

#include "host_bytes.h"
#include "memory_unit.h"

namespace kerncast::functional {

using ptx::Space;
using warp::LaneFile;
using warp::LaneMask;
using warp::MbarrierOp;
using warp::MbarrierState;
using warp::MemoryOp;
using warp::Pool;
using MbarrierKind = warp::MbarrierOp::Kind;

namespace {

constexpr std::uint32_t object_bytes = 8;

// Left as it is where it is no count or number of bytes that an object can hold.
bool change(MbarrierState& state, MbarrierKind kind, std::uint32_t value) {
  const auto bytes = static_cast<std::int64_t>(value);
  switch (kind) {
  case MbarrierKind::init:
    state = {value, value, 0, false};
    return value > 0 && value <= MbarrierState::most_arrivals;
  case MbarrierKind::expect_tx:
  case MbarrierKind::arrive_expect_tx:
  case MbarrierKind::drop_expect_tx:
    if (bytes > MbarrierState::most_bytes - state.bytes)
      return false;
    state.bytes += static_cast<std::int32_t>(value);
    return kind == MbarrierKind::expect_tx ||
           change(state,
                  kind == MbarrierKind::drop_expect_tx ? MbarrierKind::arrive_drop : MbarrierKind::arrive, 1);
  case MbarrierKind::complete_tx:
    if (bytes > MbarrierState::most_bytes + state.bytes)
      return false;
    state.bytes -= static_cast<std::int32_t>(value);
    break;
  case MbarrierKind::arrive_drop:
  case MbarrierKind::arrive:
    if (value > state.pending)
      return false;
    state.pending -= value;
    state.expected -= kind == MbarrierKind::arrive_drop ? value : 0;
    break;
  default:
    return true;
  }
  state.end_phase_if_complete();
  return true;
}

bool is_test(MbarrierKind kind) { return kind == MbarrierKind::test || kind == MbarrierKind::test_parity; }

// A state names the phase it was taken in.
bool is_over(const MbarrierState& state, MbarrierKind kind, std::uint64_t value) {
  const bool asked = kind == MbarrierKind::test ? MbarrierState::of(value).phase : (value & 1) != 0;
  return state.phase != asked;
}

} // namespace

bool MemoryUnit::change_mbarrier(MbarrierKind kind, std::uint32_t lane, std::uint32_t value) {
  MbarrierState state = MbarrierState::of(read_bytes(places_[lane], object_bytes));
  const bool holds = change(state, kind, value);
  write_bytes(places_[lane], object_bytes, state.bits());
  return holds ||
         fail(fmt::format("mbarrier at shared {:#x} cannot take a count of {}: {} arrivals and {} bytes "
                          "are pending",
                          addresses_[lane], value, state.pending, state.bytes),
              lane, "counts are 1 to 1,048,575 and no phase has more arrivals than expected");
}

bool MemoryUnit::mbarrier(const MbarrierOp& op, LaneMask lanes, LaneFile& file) {
  read_addresses(op.address, file);
  MemoryOp access;
  access.kind = MemoryOp::Kind::atomic;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    if (!resolve_lane(access, Space::generic, lane, object_bytes, true))
      return false;
    const std::uint64_t value = op.value.pool == Pool::none ? 1 : lane_value(file, op.value, lane);
    if (is_test(op.kind)) {
      const MbarrierState state = MbarrierState::of(read_bytes(places_[lane], object_bytes));
      LaneMask& result = file.predicate(op.destination.index);
      const LaneMask bit = LaneMask{1} << lane;
      result = is_over(state, op.kind, value) ? result | bit : result & ~bit;
      continue;
    }
    const std::uint64_t before = read_bytes(places_[lane], object_bytes);
    if (!change_mbarrier(op.kind, lane, static_cast<std::uint32_t>(value)))
      return false;
    set_lane_value(file, op.destination, lane, before);
  }
  return true;
}

bool MemoryUnit::complete_bytes(std::uint32_t lane, std::uint32_t bytes) {
  MemoryOp access;
  access.kind = MemoryOp::Kind::atomic;
  return resolve_lane(access, Space::generic, lane, object_bytes, true) &&
         change_mbarrier(MbarrierKind::complete_tx, lane, bytes);
}

} // namespace kerncast::functional
