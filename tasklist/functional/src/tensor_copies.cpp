// Bulk copies of tiles, row by row of the tensor's first dimension, and changes of tensor maps.
//
// Elements outside of the tensor are zeros, or 0x7ff7 in each 16 bits where the map fills with not-a-number;
// those outside are not stored. tf32 is copied as it is.
#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "host_bytes.h"
#include "memory_unit.h"
#include "warp/cluster.h"
#include "warp/tile.h"

namespace kerncast::functional {

using ptx::Space;
using tasklist::TensorMap;
using warp::LaneFile;
using warp::LaneMask;
using warp::MemoryOp;
using warp::TensorCopy;
using warp::Tile;

namespace {

constexpr std::uint32_t tile_alignment = 128; // in shared memory
constexpr std::uint32_t chunk_bytes = 16;     // what a swizzle keeps together

Tile tile_of(const TensorMap& map, const TensorCopy& op, std::uint32_t lane, LaneFile& file) {
  warp::TileCoordinates at{};
  for (std::uint32_t d = 0; d < op.coordinate_count(); ++d)
    at[d] = static_cast<std::int32_t>(lane_value(file, op.coordinates[d], lane));
  warp::PixelOffsets offsets{};
  for (std::size_t d = 0; d < offsets.size() && op.offsets[d].pool != warp::Pool::none; ++d)
    offsets[d] = static_cast<std::int64_t>(lane_value(file, op.offsets[d], lane) & 0xffff);
  return {map, op.has_four_rows, at, offsets};
}

// Of 16 bytes at a multiple of 16: three, two or one bits of the row of 128 bytes change those of the chunk.
std::uint64_t swizzled(std::uint64_t address, std::uint32_t swizzle_bytes) {
  return address ^ ((address >> 7 & (swizzle_bytes / chunk_bytes - 1)) << 4);
}

// Zeros or not-a-numbers.
std::array<std::uint8_t, chunk_bytes> outside(const TensorMap& map) {
  std::array<std::uint8_t, chunk_bytes> bytes{};
  if (map.fill == 0)
    return bytes;
  for (std::size_t b = 0; b < chunk_bytes; b += 2) {
    bytes[b] = 0xf7;
    bytes[b + 1] = 0x7f;
  }
  return bytes;
}

ptx::Type type_of(const TensorMap& map) {
  constexpr ptx::Type types[] = {ptx::Type::u8,  ptx::Type::u16, ptx::Type::u32, ptx::Type::s32,
                                 ptx::Type::u64, ptx::Type::s64, ptx::Type::f16, ptx::Type::f32,
                                 ptx::Type::f32, ptx::Type::f64, ptx::Type::bf16};
  return map.type < std::size(types) ? types[map.type] : ptx::Type::none;
}

} // namespace

bool MemoryUnit::read_tensor_map(const TensorCopy& op, std::uint32_t lane, LaneFile& file, TensorMap& map) {
  read_addresses(op.map, file);
  const std::uint8_t* at =
      bulk_bytes(MemoryOp::Kind::load, Space::generic, lane, TensorMap::bytes, TensorMap::alignment);
  if (at == nullptr)
    return false;
  std::memcpy(&map, at, TensorMap::bytes);
  const std::string where = space_.describe(addresses_[lane]);
  if (const auto checked = tasklist::check_tensor_map(map); !checked)
    return fail(fmt::format("tensor map at {}: {}", where, checked.error()[0].message), lane,
                checked.error()[0].notes.empty() ? "" : checked.error()[0].notes[0]);
  if (map.mode != op.mode)
    return fail(fmt::format("the tensor map at {} describes {}, the copy moves {}", where,
                            map.mode == tasklist::TensorMode::im2col ? "pixels" : "a box",
                            op.mode == tasklist::TensorMode::im2col ? "pixels" : "a box"),
                lane, "copies of im2col modes take maps with corners, others maps with a box");
  const bool has_rank = map.rank() == op.dimensions && (!op.has_four_rows || op.dimensions == 2);
  return has_rank || fail(fmt::format("the tensor map at {} has {} dimensions, the copy {}", where,
                                      map.rank(), op.dimensions),
                          lane, "a copy names as many dimensions as its map has, one of four rows two");
}

// One row between global memory and shared memory, where the box begins at address `box`, byte `to`.
bool MemoryUnit::copy_tile_row(const TileCopy& copy, std::uint64_t global, TileRow row) {
  const std::uint32_t bytes = row.end - row.begin;
  std::uint8_t* inside = nullptr;
  if (bytes > 0) {
    addresses_[copy.lane] = global;
    inside = bulk_bytes(copy.global_access, Space::global, copy.lane, bytes, 1);
    if (inside == nullptr)
      return false;
  }
  const auto fill = outside(copy.map);
  for (std::uint32_t chunk = 0; chunk < copy.row_bytes; chunk += chunk_bytes) {
    const std::uint64_t to =
        swizzled(copy.box_address + row.at + chunk, copy.map.swizzle_bytes()) - copy.box_address;
    if (to + chunk_bytes > copy.box_bytes)
      return fail("a tile that is no whole number of its swizzle's patterns", copy.lane,
                  "let the box have rows of as many bytes as it swizzles over");
    const std::uint32_t begin = std::clamp(row.begin, chunk, chunk + chunk_bytes),
                        end = std::clamp(row.end, chunk, chunk + chunk_bytes);
    if (copy.global_access == MemoryOp::Kind::load)
      std::memcpy(copy.box + to, fill.data(), chunk_bytes);
    if (begin == end)
      continue;
    std::uint8_t* in_tile = copy.box + to + (begin - chunk);
    std::uint8_t* in_tensor = inside + (begin - row.begin);
    if (copy.global_access == MemoryOp::Kind::load)
      std::memcpy(in_tile, in_tensor, end - begin);
    else if (copy.global_access == MemoryOp::Kind::store)
      std::memcpy(in_tensor, in_tile, end - begin);
    else if (!reduce_bytes(copy.function, type_of(copy.map), in_tensor, in_tile, end - begin, copy.lane))
      return false;
  }
  return true;
}

bool MemoryUnit::copy_tile(const TensorCopy& op, std::uint32_t lane, const TensorMap& map,
                           std::optional<std::uint32_t> rank, LaneFile& file) {
  const Tile tile = tile_of(map, op, lane, file);
  const bool loads = op.kind == TensorCopy::Kind::load;
  read_addresses(op.shared, file);
  if (rank)
    addresses_[lane] = warp::cluster_address(addresses_[lane], *rank);
  const std::uint64_t box_address = addresses_[lane];
  const Space space = warp::is_cluster_address(box_address) ? Space::generic : Space::shared;
  const auto bytes = static_cast<std::uint32_t>(tile.bytes());
  std::uint8_t* box =
      bulk_bytes(loads ? MemoryOp::Kind::store : MemoryOp::Kind::load, space, lane, bytes, tile_alignment);
  if (box == nullptr)
    return false;
  const auto global_access = loads                                 ? MemoryOp::Kind::load
                             : op.kind == TensorCopy::Kind::reduce ? MemoryOp::Kind::atomic
                                                                   : MemoryOp::Kind::store;
  const TileCopy copy{map, global_access, op.function, lane, box_address, box, bytes, tile.row_bytes()};
  for (std::uint32_t r = 0; r < tile.rows(); ++r) {
    const Tile::Row row = tile.row(r);
    if (!copy_tile_row(copy, row.address, {r * tile.row_bytes(), row.begin, row.end}))
      return false;
  }
  return deliver(op.signal, lane, bytes, rank, file);
}

bool MemoryUnit::tensor_copy(const TensorCopy& op, LaneMask lanes, LaneFile& file) {
  TensorMap map;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    if (!read_tensor_map(op, lane, file, map))
      return false;
    for (const auto& rank : targets_of(op.signal, lane, file))
      if (!copy_tile(op, lane, map, rank, file))
        return false;
  }
  return true;
}

bool MemoryUnit::change_tensor_map(const warp::TensorMapChange& op, LaneMask lanes, LaneFile& file) {
  read_addresses(op.map, file);
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    std::uint8_t* at =
        bulk_bytes(MemoryOp::Kind::atomic, Space::generic, lane, TensorMap::bytes, TensorMap::alignment);
    if (at == nullptr)
      return false;
    TensorMap map;
    std::memcpy(&map, at, TensorMap::bytes);
    if (map.mark != TensorMap::known_mark)
      return fail(fmt::format("there is no tensor map at {}", space_.describe(addresses_[lane])), lane,
                  "only a map that was copied there can be changed");
    if (!warp::TensorMapChange::apply(op.field, op.ordinal, lane_value(file, op.value, lane), map))
      return fail(fmt::format("a tensor map has no dimension {}", op.ordinal), lane,
                  "dimensions count from 0 to 4, strides from 0 to 3");
    std::memcpy(at, &map, TensorMap::bytes);
  }
  return true;
}

} // namespace kerncast::functional
