// tcgen05.cp, from shared memory to the tensor memory of the same CTA, and tcgen05.shift.
#include <array>

#include <fmt/format.h>

#include "host_bytes.h"
#include "shared_elements.h"
#include "tensor_unit.h"

namespace kerncast::functional {

using warp::LaneFile;
using warp::SharedMatrix;
using warp::TensorAddress;
using warp::TensorMemoryOp;
using Format = warp::TensorMemoryOp::Format;
using Spread = warp::TensorMemoryOp::Spread;

namespace {

constexpr std::uint32_t piece_bytes = 16, column_bytes = 4;
using Piece = std::array<std::uint8_t, piece_bytes>;

// Sixteen elements one behind the other become bytes: of 6 bits in the lowest, of 4 bits in the middle, as
// matrices in tensor memory have them.
Piece in_bytes(const Piece& packed, Format format) {
  if (format == Format::whole)
    return packed;
  const std::uint32_t bits = format == Format::b6x16_p32 ? 6 : 4, shift = bits == 4 ? 2 : 0;
  Piece bytes{};
  for (std::uint32_t e = 0; e < piece_bytes; ++e) {
    const std::uint32_t at = e * bits / 8;
    const std::uint32_t two = packed[at] | (at + 1 < piece_bytes ? packed[at + 1] : 0U) << 8;
    bytes[e] = static_cast<std::uint8_t>((two >> (e * bits % 8) & ((1U << bits) - 1)) << shift);
  }
  return bytes;
}

// Behind the address's lane.
std::vector<std::uint32_t> lanes_of(Spread spread, std::uint32_t row) {
  constexpr std::uint32_t part = TensorMemory::lanes_per_partition;
  switch (spread) {
  case Spread::one_per_warp:
    return {part * row};
  case Spread::warps_02_13:
    return {row, 2 * part + row};
  case Spread::warps_01_23:
    return {row % part + 2 * part * (row / part), row % part + 2 * part * (row / part) + part};
  case Spread::all_four_warps:
    return {row, part + row, 2 * part + row, 3 * part + row};
  default:
    return {row};
  }
}

} // namespace

bool TensorUnit::copy_row(const TensorMemoryOp& op, const SharedMatrix& matrix, std::uint32_t row,
                          TensorAddress to, Target& target) {
  for (std::uint32_t at = 0; at < op.row_bytes; at += piece_bytes) {
    const std::uint64_t from = matrix.address(row, at, 8, true);
    if (from + piece_bytes > target.shared.size())
      return fail(fmt::format("tcgen05.cp reads outside of shared memory, at {:#x} of {} bytes", from,
                              target.shared.size()),
                  descriptor_advice);
    Piece packed{};
    std::memcpy(packed.data(), &target.shared[from], piece_bytes);
    const Piece bytes = in_bytes(packed, op.format);
    for (std::uint32_t w = 0; w < piece_bytes; w += column_bytes)
      for (const std::uint32_t lane : lanes_of(op.spread, row)) {
        std::uint32_t* found = nullptr;
        if (!word(target, to.lane + lane, to.column + (at + w) / column_bytes, found))
          return false;
        std::memcpy(found, &bytes[w], column_bytes);
      }
  }
  return true;
}

bool TensorUnit::copy(const TensorMemoryOp& op, std::uint32_t lane, LaneFile& file) {
  std::vector<Target> targets;
  SharedMatrix matrix;
  if (!find_targets(op.of_pair, lane, targets) ||
      !find_matrix(lane_value(file, op.value, lane), false, warp::Element::u8, matrix))
    return false;
  const auto to = TensorAddress::of(lane_address(file, op.address, lane));
  for (Target& target : targets)
    for (std::uint32_t row = 0; row < op.rows; ++row)
      if (!copy_row(op, matrix, row, to, target))
        return false;
  return true;
}

bool TensorUnit::shift_lane(std::uint32_t lane, std::uint32_t first_column, Target& target) {
  constexpr std::uint32_t shifted_columns = 8;
  for (std::uint32_t c = first_column; c < first_column + shifted_columns; ++c) {
    std::uint32_t *place = nullptr, *next = nullptr;
    if (!word(target, lane, c, place) || !word(target, lane + 1, c, next))
      return false;
    *place = *next;
  }
  return true;
}

// In each warp's 32 lanes the last one keeps what it has, as B200s were found to do.
bool TensorUnit::shift(const TensorMemoryOp& op, std::uint32_t lane, LaneFile& file) {
  constexpr std::uint32_t part = TensorMemory::lanes_per_partition;
  std::vector<Target> targets;
  if (!find_targets(op.of_pair, lane, targets))
    return false;
  const auto at = TensorAddress::of(lane_address(file, op.address, lane));
  if (at.lane % part != 0)
    return fail(fmt::format("tcgen05.shift at lane {}", at.lane), "the lane is a multiple of 32");
  for (Target& target : targets)
    for (std::uint32_t to = at.lane; to < TensorMemory::lanes; ++to)
      if (to % part != part - 1 && !shift_lane(to, at.column, target))
        return false;
  return true;
}

} // namespace kerncast::functional
