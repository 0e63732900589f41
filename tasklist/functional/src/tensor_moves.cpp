// tcgen05.ld and tcgen05.st: a warp reaches the 32 lanes of its number modulo 4. Lanes below 32 are counted
// from the first of them: the manual's addresses have all of the lane, kernels in use leave the warp's part
// out.
#include <fmt/format.h>

#include "host_bytes.h"
#include "tensor_unit.h"

namespace kerncast::functional {

using warp::LaneFile;
using warp::LaneMask;
using warp::lanes_per_warp;
using warp::TensorAddress;
using warp::TensorMove;

namespace {

constexpr std::uint32_t half_bits = 16, half_mask = 0xffff;

} // namespace

bool TensorUnit::move_word(const TensorMove& op, TensorAddress at, std::uint32_t thread, std::uint32_t r,
                           LaneFile& file) {
  Target target = own();
  std::uint32_t* found = nullptr;
  if (!word(target, at.lane, at.column, found))
    return false;
  const warp::SlotId slot = op.registers[r];
  if (!op.packs) {
    if (op.stores)
      *found = static_cast<std::uint32_t>(lane_value(file, slot, thread));
    else
      set_lane_value(file, slot, thread, *found);
    return true;
  }
  std::uint32_t* second = nullptr;
  if (!word(target, at.lane, at.column + 1, second))
    return false;
  if (op.stores) {
    const auto value = static_cast<std::uint32_t>(lane_value(file, slot, thread));
    *found = value & half_mask;
    *second = value >> half_bits;
  } else {
    set_lane_value(file, slot, thread, (*found & half_mask) | *second << half_bits);
  }
  return true;
}

bool TensorUnit::move_register(const TensorMove& op, TensorAddress base, std::uint32_t thread,
                               std::uint32_t r, LaneFile& file) {
  const TensorAddress place = op.place(thread, r);
  const std::uint32_t begin = warp_ % 4 * lanes_per_warp;
  const std::uint32_t lane = base.lane + place.lane + (base.lane < lanes_per_warp ? begin : 0);
  lane_ = thread;
  if (lane < begin || lane >= begin + lanes_per_warp)
    return fail(fmt::format("tcgen05.{} of lane {} of tensor memory by warp {}", op.stores ? "st" : "ld",
                            lane, warp_),
                fmt::format("it reaches lanes {} to {}", begin, begin + lanes_per_warp - 1));
  const std::uint32_t split = thread < lanes_per_warp / 2 ? 0 : op.split;
  return move_word(op, {lane, base.column + place.column * (op.packs ? 2 : 1) + split}, thread, r, file);
}

void TensorUnit::reduce(const TensorMove& op, LaneFile& file) {
  std::vector<std::uint32_t> values(op.registers.size());
  for (std::uint32_t thread = 0; thread < lanes_per_warp; ++thread) {
    for (std::size_t r = 0; r < values.size(); ++r)
      values[r] = static_cast<std::uint32_t>(lane_value(file, op.registers[r], thread));
    set_lane_value(file, op.reduced, thread, op.extreme(values));
  }
}

bool TensorUnit::move(const TensorMove& op, LaneMask lanes, LaneFile& file) {
  lane_ = 0;
  if (lanes != warp::all_lanes)
    return fail("a move of tensor memory that not all threads of the warp execute",
                "its result is undefined");
  const std::uint64_t common = lane_address(file, op.address, 0);
  for (std::uint32_t thread = 1; thread < lanes_per_warp; ++thread) {
    lane_ = thread;
    if (lane_address(file, op.address, thread) != common)
      return fail("threads of a warp give different addresses of tensor memory",
                  "all give that of the whole move");
  }
  for (std::uint32_t thread = 0; thread < lanes_per_warp; ++thread)
    for (std::uint32_t r = 0; r < op.registers.size(); ++r)
      if (!move_register(op, TensorAddress::of(common), thread, r, file))
        return false;
  if (op.reduction != TensorMove::Reduction::none)
    reduce(op, file);
  return true;
}

} // namespace kerncast::functional
