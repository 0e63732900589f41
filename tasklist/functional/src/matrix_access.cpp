// ldmatrix, stmatrix, wmma.load and wmma.store: each lane moves the elements that its registers hold.
#include <algorithm>

#include "host_bytes.h"
#include "memory_unit.h"

namespace kerncast::functional {

using ptx::Space;
using warp::LaneFile;
using warp::LaneMask;
using warp::lanes_per_warp;
using warp::MatrixAccess;
using warp::MemoryOp;
using warp::Pool;

namespace {

std::uint64_t dense_stride(const MatrixAccess& op) {
  return op.transposed ? op.fragment.layout.row_count() : op.fragment.layout.column_count();
}

// Where in its byte an element of less than 8 bits begins.
std::uint32_t place_in_byte(const MatrixAccess& op, warp::MatrixPlace place, std::uint32_t bits) {
  return (op.transposed ? place.row : place.column) * bits % 8;
}

// Which element of a matrix of 16 by 16, 8 by 16 or, stored, 16 by 8 bytes a byte of a lane's register is.
warp::MatrixPlace byte_place(const MatrixAccess& op, std::uint32_t lane, std::uint32_t in_matrix,
                             std::uint32_t byte) {
  if (op.access.kind == MemoryOp::Kind::store)
    return {lane / 4 + 8 * (byte / 2), 2 * (lane % 4) + byte % 2};
  return {lane / 4 + 8 * in_matrix, 4 * (lane % 4) + byte};
}

// The row in memory, of those of all matrices, and the element of it. With .trans it is a column of the
// matrix.
warp::MatrixPlace byte_in_memory(const MatrixAccess& op, std::uint32_t lane, std::uint32_t r,
                                 std::uint32_t byte) {
  const std::uint32_t per_matrix = op.bytes.registers_per_matrix;
  warp::MatrixPlace place = byte_place(op, lane, r % per_matrix, byte);
  if (op.transposed)
    std::swap(place.row, place.column);
  place.row += r / per_matrix * 8 * per_matrix;
  return place;
}

// Elements of a row in memory lie one behind the other, the first one in the lowest bits.
std::uint32_t element_of_row(const std::uint8_t* row, std::uint32_t element, std::uint32_t bits) {
  const std::uint32_t first = element * bits, at = first / 8;
  const std::uint32_t next = at + 1 < 16 ? row[at + 1] : 0U;
  return (row[at] | next << 8) >> (first % 8) & ((1U << bits) - 1);
}

} // namespace

// The rows of 16 bytes that the lanes address; row r of matrix m is that of lane 8 m + r.
bool MemoryUnit::find_rows(const MatrixAccess& op) {
  const bool stores = op.access.kind == MemoryOp::Kind::store;
  for (std::uint32_t lane = 0; lane < 8U * op.fragment.count; ++lane)
    if (!resolve_lane(op.access, op.access.space, lane, op.access.bytes(), stores) ||
        meets_race(op.access, lane, stores))
      return false;
  return true;
}

// Where an element lies: in its row, or a multiple of the stride behind the common base.
bool MemoryUnit::find_element(const MatrixAccess& op, std::uint32_t lane, warp::MatrixPlace place,
                              MatrixBase base) {
  if (op.transposed)
    std::swap(place.row, place.column);
  const std::uint64_t index = place.row * base.stride + place.column;
  addresses_[lane] = base.address + index * warp::element_bits(op.fragment.element) / 8;
  const bool stores = op.access.kind == MemoryOp::Kind::store;
  return resolve_lane(op.access, op.access.space, lane, op.access.bytes(), stores) &&
         !meets_race(op.access, lane, stores);
}

bool MemoryUnit::move_fragment(const MatrixAccess& op, std::uint32_t lane, MatrixBase base, LaneFile& file) {
  const std::uint32_t packed = op.fragment.layout.per_register,
                      bits = warp::element_bits(op.fragment.element);
  for (std::uint32_t r = 0; r < op.fragment.count; ++r) {
    const warp::SlotId slot = op.fragment.registers[r];
    std::uint64_t word = slot.pool == Pool::none ? 0 : lane_value(file, slot, lane);
    for (std::uint32_t e = 0; e < packed; ++e) {
      const warp::MatrixPlace place = op.fragment.layout.place(lane, r * packed + e);
      if (!find_element(op, lane, place, base))
        return false;
      if (op.access.kind == MemoryOp::Kind::store) {
        write_bytes(places_[lane], op.access.element_bytes, word >> (e * bits));
        continue;
      }
      const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
      const std::uint32_t shift = bits < 8 ? place_in_byte(op, place, bits) : 0; // the lowest first
      const std::uint64_t value = read_bytes(places_[lane], op.access.element_bytes) >> shift & mask;
      word = (word & ~(mask << (e * bits))) | value << (e * bits);
    }
    set_lane_value(file, slot, lane, word);
  }
  return true;
}

// Registers hold two neighbours of a row; with .trans, of a column.
void MemoryUnit::move_rows(const MatrixAccess& op, const Places& rows, LaneFile& file) {
  for (std::uint32_t lane = 0; lane < lanes_per_warp; ++lane)
    for (std::uint32_t m = 0; m < op.fragment.count; ++m) {
      const warp::SlotId slot = op.fragment.registers[m];
      const auto at = [&](std::uint32_t e) {
        const std::uint32_t across = lane / 4, along = 2 * (lane % 4) + e;
        return op.transposed ? rows[8 * m + along] + std::size_t{2} * across
                             : rows[8 * m + across] + std::size_t{2} * along;
      };
      if (op.access.kind == MemoryOp::Kind::load) {
        set_lane_value(file, slot, lane, read_bytes(at(0), 2) | read_bytes(at(1), 2) << 16);
      } else {
        write_bytes(at(0), 2, lane_value(file, slot, lane));
        write_bytes(at(1), 2, lane_value(file, slot, lane) >> 16);
      }
    }
}

void MemoryUnit::move_byte_rows(const MatrixAccess& op, const Places& rows, LaneFile& file) {
  const bool loads = op.access.kind == MemoryOp::Kind::load;
  for (std::uint32_t lane = 0; lane < lanes_per_warp; ++lane)
    for (std::uint32_t r = 0; r < op.fragment.count; ++r) {
      const warp::SlotId slot = op.fragment.registers[r];
      std::uint64_t word = loads ? 0 : lane_value(file, slot, lane);
      for (std::uint32_t byte = 0; byte < 4; ++byte) {
        const warp::MatrixPlace at = byte_in_memory(op, lane, r, byte);
        if (loads)
          word |= std::uint64_t{element_of_row(rows[at.row], at.column, op.bytes.bits)} << (8 * byte);
        else
          write_bytes(rows[at.row] + at.column, 1, word >> (8 * byte));
      }
      if (loads)
        set_lane_value(file, slot, lane, word);
    }
}

bool MemoryUnit::access_matrix(const MatrixAccess& op, LaneMask lanes, LaneFile& file) {
  if (lanes != warp::all_lanes)
    return fail("a tensor operation that not all threads of the warp execute", 0, "its result is undefined");
  read_addresses(op.access.address, file);
  if (op.has_row_addresses) {
    if (!find_rows(op))
      return false;
    if (op.bytes.bits > 0)
      move_byte_rows(op, Places(places_), file);
    else
      move_rows(op, Places(places_), file);
    return true;
  }
  const Addresses bases = addresses_;
  for (std::uint32_t lane = 0; lane < lanes_per_warp; ++lane) {
    const std::uint64_t stride =
        op.stride.pool == Pool::none ? dense_stride(op) : lane_value(file, op.stride, lane);
    if (!move_fragment(op, lane, {bases[lane], stride}, file))
      return false;
  }
  return true;
}

} // namespace kerncast::functional
