#include "warp/bulk_footprint.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "warp/address_shapes.h"
#include "warp/tile.h"

namespace kerncast::warp {
namespace {

using tasklist::BulkExtent;
using tasklist::TensorMap;

// More than shared memory holds: only prefetches move so much, and of more the places are not followed.
constexpr std::uint64_t most_followed_bytes = std::uint64_t{1} << 20;

// Sectors of rows that lie one behind the other; neighbours may share one.
std::uint64_t count_sectors(const std::vector<MovedRow>& rows, std::size_t first) {
  std::uint64_t count = 0, last = UINT64_MAX;
  for (std::size_t r = first; r < rows.size(); ++r) {
    const std::uint64_t begin = rows[r].address / sector_bytes;
    const std::uint64_t end = (rows[r].address + rows[r].bytes - 1) / sector_bytes;
    count += end - begin + (begin == last ? 0 : 1);
    last = end;
  }
  return count;
}

void forget_size(BulkFootprint& out) {
  out.extent.reset();
  out.has_places = false;
}

void add(std::uint64_t moved, std::uint64_t signalled, BulkFootprint& out) {
  if (!out.extent)
    return;
  out.extent->moved_bytes += moved;
  out.extent->signalled_bytes += signalled;
}

} // namespace

std::uint64_t whole_sectors(std::uint64_t bytes) {
  return (bytes + sector_bytes - 1) / sector_bytes * sector_bytes;
}

TensorMapAt maps_among_parameters(const Program& program, const ParameterImage& image) {
  return [&program, &image](std::uint64_t address) -> std::optional<TensorMap> {
    const std::uint64_t offset = address - program.memory.parameter.base;
    if (offset >= image.bytes.size() || image.bytes.size() - offset < TensorMap::bytes)
      return std::nullopt;
    const auto known = image.known.begin() + static_cast<std::ptrdiff_t>(offset);
    if (std::find(known, known + TensorMap::bytes, false) != known + TensorMap::bytes)
      return std::nullopt;
    TensorMap map;
    std::memcpy(&map, image.bytes.data() + offset, TensorMap::bytes);
    return tasklist::check_tensor_map(map) ? std::optional(map) : std::nullopt;
  };
}

std::optional<std::uint64_t> BulkReader::value(SlotId slot, std::uint32_t lane, LaneFile& file) const {
  if (slot.pool != Pool::word && slot.pool != Pool::longword)
    return std::nullopt;
  if (!all_known_ && !has(file.known(slot), lane))
    return std::nullopt;
  return slot.pool == Pool::word ? file.lanes<std::uint32_t>(slot.index)[lane]
                                 : file.lanes<std::uint64_t>(slot.index)[lane];
}

std::optional<std::uint64_t> BulkReader::address(const AddressOf& of, std::uint32_t lane,
                                                 LaneFile& file) const {
  if (of.base.pool == Pool::none)
    return of.offset;
  const auto base = value(of.base, lane, file);
  if (!base)
    return std::nullopt;
  return of.base.pool == Pool::word ? (*base + of.offset) & UINT32_MAX : *base + of.offset;
}

// CTAs that get a copy.
std::uint64_t BulkReader::receivers(const BulkSignal& signal, std::uint32_t lane, LaneFile& file,
                                    BulkFootprint& out) const {
  if (signal.ctas.pool == Pool::none)
    return 1;
  out.is_multicast = true;
  const std::uint64_t ctas = value(signal.ctas, lane, file).value_or(1) & 0xffff;
  return signal.to_all ? ctas : static_cast<std::uint64_t>(std::max(1, std::popcount(ctas)));
}

// Copies between CTAs of a cluster move nothing of global memory.
void BulkReader::add_copy(const BulkCopy& copy, std::uint32_t lane, LaneFile& file,
                          BulkFootprint& out) const {
  const auto bytes = value(copy.bytes, lane, file);
  if (!bytes)
    return forget_size(out);
  const bool stores = copy.to_space == ptx::Space::global;
  const std::uint64_t signalled = *bytes * receivers(copy.signal, lane, file, out);
  if (!stores && copy.from_space != ptx::Space::global)
    return add(0, signalled, out);
  const auto at = address(stores ? copy.to : copy.from, lane, file);
  if (!at || *bytes > most_followed_bytes) {
    out.has_places = false;
    return add(whole_sectors(*bytes), signalled, out);
  }
  out.first[lane] = *at;
  const std::size_t first = out.rows.size();
  if (*bytes > 0)
    out.rows.push_back({*at, *bytes});
  add(count_sectors(out.rows, first) * sector_bytes, signalled, out);
}

void BulkReader::add_tile(const TensorCopy& copy, std::uint32_t lane, LaneFile& file,
                          BulkFootprint& out) const {
  const auto map_address = address(copy.map, lane, file);
  const auto map = map_address ? map_at_(*map_address) : std::nullopt;
  if (!map || map->rank() != copy.dimensions || map->mode != copy.mode)
    return forget_size(out);
  TileCoordinates at{};
  bool is_known = true;
  for (std::uint32_t d = 0; d < copy.coordinate_count(); ++d) {
    const auto coordinate = value(copy.coordinates[d], lane, file);
    is_known = is_known && coordinate;
    at[d] = static_cast<std::int32_t>(coordinate.value_or(0));
  }
  PixelOffsets offsets{};
  for (std::size_t d = 0; d < offsets.size() && copy.offsets[d].pool != Pool::none; ++d) {
    const auto offset = value(copy.offsets[d], lane, file);
    is_known = is_known && offset;
    offsets[d] = static_cast<std::int64_t>(offset.value_or(0) & 0xffff);
  }
  const Tile tile(*map, copy.has_four_rows, at, offsets);
  const std::uint64_t signalled = tile.bytes() * receivers(copy.signal, lane, file, out);
  if (!is_known) {
    out.has_places = false;
    return add(tile.rows() * whole_sectors(tile.row_bytes()), signalled, out);
  }
  const std::size_t first = out.rows.size();
  for (std::uint32_t r = 0; r < tile.rows(); ++r)
    if (const Tile::Row row = tile.row(r); row.end > row.begin)
      out.rows.push_back({row.address, row.end - row.begin});
  out.first[lane] = first < out.rows.size() ? out.rows[first].address : map->address;
  add(count_sectors(out.rows, first) * sector_bytes, signalled, out);
}

BulkFootprint BulkReader::read(const AccessStep& step, LaneMask lanes, LaneFile& file) const {
  BulkFootprint out;
  out.extent.emplace();
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    if (step.bulk_copy != no_id)
      add_copy(program_.bulk_copies[step.bulk_copy], lane, file, out);
    else if (step.tensor_copy != no_id)
      add_tile(program_.tensor_copies[step.tensor_copy], lane, file, out);
    else
      forget_size(out);
  }
  if (!out.has_places)
    out.rows.clear();
  return out;
}

void fill_shape(const BulkFootprint& copies, LaneMask lanes, tasklist::AddressShape& shape) {
  shape.known = copies.has_places;
  shape.bulk = copies.extent;
  shape.offsets.fill(0);
  if (copies.has_places)
    make_relative(copies.first, lanes, shape);
}

std::vector<RowGroup> groups_of(const std::vector<MovedRow>& rows) {
  std::vector<RowGroup> groups;
  std::uint32_t lanes = lanes_per_warp; // of the last group
  const auto add_piece = [&](std::uint64_t address, std::uint16_t bytes) {
    if (lanes == lanes_per_warp || groups.back().bytes != bytes) {
      groups.push_back({.bytes = bytes});
      lanes = 0;
    }
    groups.back().addresses[lanes] = address;
    groups.back().lanes |= LaneMask{1} << lanes++;
  };
  for (const MovedRow& row : rows) {
    const std::uint64_t end = whole_sectors(row.address + row.bytes);
    for (std::uint64_t at = row.address / sector_bytes * sector_bytes; at < end;) {
      const std::uint64_t next = std::min(end, at / line_bytes * line_bytes + line_bytes);
      add_piece(at, static_cast<std::uint16_t>(next - at));
      at = next;
    }
  }
  return groups;
}

} // namespace kerncast::warp
