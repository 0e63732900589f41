#include "memory_unit.h"

#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "atomics.h"
#include "host_bytes.h"
#include "ptx_parser/extension.h"
#include "warp/cluster.h"

namespace kerncast::functional {
namespace {

using ptx::Space;
using warp::LaneFile;
using warp::LaneMask;
using warp::lanes_per_warp;
using warp::MemoryOp;
using warp::Pool;

// A signed element fills its register with its sign.
std::uint64_t extended(const MemoryOp& op, std::uint64_t value) {
  if (!ptx::is_signed(op.type) || op.register_bytes <= op.element_bytes)
    return value;
  const std::uint64_t wide = ptx::sign_extended(value, op.element_bytes);
  return op.register_bytes == 8 ? wide : wide & ((std::uint64_t{1} << (8 * op.register_bytes)) - 1);
}

// At most.
constexpr std::uint32_t warps_per_cta = 32;

std::uint32_t lowest(LaneMask lanes) { return static_cast<std::uint32_t>(std::countr_zero(lanes)); }

const char* verb(const MemoryOp& op, bool writes) {
  if (op.kind == MemoryOp::Kind::atomic)
    return "atomic operation on";
  return writes ? "store of" : "load of";
}

// All 32 values of one slot from consecutive places; false if their width is not the slot's.
bool load_consecutive(const MemoryOp& op, const std::uint8_t* from, LaneFile& file) {
  const warp::SlotId d = op.data[0];
  if (op.element_bytes == 4 && d.pool == Pool::word)
    std::memcpy(file.lanes<std::uint32_t>(d.index).data(), from, 4 * lanes_per_warp);
  else if (op.element_bytes == 8 && d.pool == Pool::longword)
    std::memcpy(file.lanes<std::uint64_t>(d.index).data(), from, 8 * lanes_per_warp);
  else
    return false;
  return true;
}

} // namespace

bool MemoryUnit::fail(std::string message, std::uint32_t lane, std::string note) {
  fault_ = {std::move(message), std::move(note), 0, warp_, lane};
  return false;
}

void MemoryUnit::read_addresses(const warp::AddressOf& address, LaneFile& file) {
  if (address.base.pool == Pool::none) {
    addresses_.fill(address.offset);
  } else if (address.base.pool == Pool::word) {
    const auto& base = file.lanes<std::uint32_t>(address.base.index);
    for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
      addresses_[i] = (base[i] + address.offset) & 0xffffffffU;
  } else {
    const auto& base = file.lanes<std::uint64_t>(address.base.index);
    for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
      addresses_[i] = base[i] + address.offset;
  }
}

bool MemoryUnit::check_written(const MemoryOp& op, const Window& window, std::uint64_t offset,
                               std::uint32_t lane, std::uint32_t bytes) {
  for (std::uint64_t i = offset; i < offset + bytes; ++i)
    if (read<std::uint8_t>(window.written + i) == 0)
      return fail(fmt::format("{} {} bytes whose contents are unknown, at {}", verb(op, false), bytes,
                              space_.describe(addresses_[lane])),
                  lane, "give the buffer's contents");
  return true;
}

// The lane's own local memory, if the address lies there.
bool MemoryUnit::resolve_local(Space space, std::uint32_t lane, std::uint32_t bytes) {
  const bool may_be_local = space == Space::local || space == Space::generic || space == Space::param;
  const std::uint64_t offset = addresses_[lane] - space_.local_base();
  if (!may_be_local || offset >= space_.local_bytes() || space_.local_bytes() - offset < bytes)
    return false;
  places_[lane] = local_ + lane * space_.local_stride() + offset;
  return true;
}

// In a buffer of unknown contents: what is loaded must have been stored before.
bool MemoryUnit::use_written(const MemoryOp& op, std::uint64_t offset, std::uint32_t lane,
                             std::uint32_t bytes, bool writes) {
  const bool reads = !writes || op.kind == MemoryOp::Kind::atomic;
  if (reads && !check_written(op, window_, offset, lane, bytes))
    return false;
  for (std::uint64_t i = offset; writes && i < offset + bytes; ++i)
    write<std::uint8_t>(window_.written + i, 1);
  return true;
}

bool MemoryUnit::fail_unaligned(const MemoryOp& op, std::uint32_t lane, std::uint32_t bytes, bool writes) {
  return fail(
      fmt::format("{} {} bytes at {}, which is not aligned", verb(op, writes), bytes,
                  space_.describe(addresses_[lane])),
      lane,
      "addresses are multiples of the access's size, those of bulk copies of 16 bytes, of tiles of 128");
}

bool MemoryUnit::resolve_lane(const MemoryOp& op, Space space, std::uint32_t lane, std::uint32_t bytes,
                              bool writes) {
  if (addresses_[lane] % std::bit_floor(bytes) != 0)
    return fail_unaligned(op, lane, bytes, writes);
  return place_lane(op, space, lane, bytes, writes);
}

bool MemoryUnit::fail_outside(const MemoryOp& op, Space space, std::uint32_t lane, std::uint32_t bytes,
                              bool writes) {
  const bool is_shared = space == Space::shared;
  return fail(fmt::format("{} {} bytes outside of {}memory, at {}", verb(op, writes), bytes,
                          is_shared ? "shared " : "", space_.describe(addresses_[lane])),
              lane,
              is_shared ? "check the kernel's bounds, and the launch's bytes of dynamic shared memory"
                        : "check the kernel's bounds, the buffers' sizes and the launch's arguments");
}

bool MemoryUnit::place_lane(const MemoryOp& op, Space space, std::uint32_t lane, std::uint32_t bytes,
                            bool writes) {
  const std::uint64_t address = addresses_[lane];
  if (resolve_local(space, lane, bytes))
    return true;
  if (address - window_.base >= window_.bytes || window_space_ != space) {
    window_ = space_.find(address, space);
    window_space_ = space;
  }
  const std::uint64_t offset = address - window_.base;
  if (offset >= window_.bytes || window_.bytes - offset < bytes)
    return fail_outside(op, space, lane, bytes, writes);
  if (writes && window_.is_read_only)
    return fail(fmt::format("{} {} bytes of constant memory, at {}", verb(op, writes), bytes,
                            space_.describe(address)),
                lane, "constant memory and parameters are read only");
  places_[lane] = window_.data + offset;
  const bool holds = window_.written == nullptr || use_written(op, offset, lane, bytes, writes);
  if (warp::is_cluster_address(address)) // which may leave the kernel
    window_ = {};
  return holds;
}

bool MemoryUnit::resolve(const MemoryOp& op, Space space, LaneMask lanes, std::uint32_t bytes, bool writes) {
  for (; lanes != 0; lanes &= lanes - 1)
    if (!resolve_lane(op, space, lowest(lanes), bytes, writes))
      return false;
  return true;
}

// Where lane 0 lies if all 32 lanes lie one behind the other in one window; else null.
std::uint8_t* MemoryUnit::all_lanes_at(const MemoryOp& op, bool writes) {
  const std::uint64_t first = addresses_[0];
  std::uint64_t difference = 0;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    difference |= addresses_[i] ^ (first + std::uint64_t{i} * op.element_bytes);
  const std::uint64_t offset = first - window_.base, bytes = std::uint64_t{lanes_per_warp} * op.element_bytes;
  const bool consecutive = difference == 0 && first % op.element_bytes == 0;
  const bool in_window = window_space_ == op.space && window_.written == nullptr && window_.bytes >= bytes &&
                         offset <= window_.bytes - bytes && !(writes && window_.is_read_only);
  return consecutive && in_window ? window_.data + offset : nullptr;
}

bool MemoryUnit::load_all(const MemoryOp& op, LaneFile& file) {
  if (op.elements != 1 || op.data[0].pool == Pool::none)
    return false;
  const std::uint8_t* from = all_lanes_at(op, false);
  return from != nullptr && load_consecutive(op, from, file);
}

bool MemoryUnit::store_all(const MemoryOp& op, LaneFile& file) {
  if (op.elements != 1)
    return false;
  std::uint8_t* to = all_lanes_at(op, true);
  if (to == nullptr)
    return false;
  if (op.element_bytes == 4 && op.data[0].pool == Pool::word)
    std::memcpy(to, file.lanes<std::uint32_t>(op.data[0].index).data(), 4 * lanes_per_warp);
  else if (op.element_bytes == 8)
    std::memcpy(to, file.lanes<std::uint64_t>(op.data[0].index).data(), 8 * lanes_per_warp);
  else
    return false;
  return true;
}

void MemoryUnit::load(const MemoryOp& op, LaneMask lanes, LaneFile& file) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t lane = lowest(lanes);
    for (std::uint32_t e = 0; e < op.elements; ++e)
      set_lane_value(file, op.data[e], lane,
                     extended(op, read_bytes(places_[lane] + e * op.element_bytes, op.element_bytes)));
  }
}

void MemoryUnit::store(const MemoryOp& op, LaneMask lanes, LaneFile& file) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t lane = lowest(lanes);
    for (std::uint32_t e = 0; e < op.elements; ++e)
      write_bytes(places_[lane] + e * op.element_bytes, op.element_bytes, lane_value(file, op.data[e], lane));
  }
}

// atom.b128: exch, and cas. Their order matters, so that no other thread of the host is in between.
void MemoryUnit::exchange_wide(const MemoryOp& op, LaneMask lanes, LaneFile& file) {
  using Halves = std::array<std::uint64_t, 2>;
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t lane = lowest(lanes);
    const Halves b{lane_value(file, op.operands[0], lane), lane_value(file, op.operands[1], lane)};
    Halves old{};
    std::memcpy(old.data(), places_[lane], sizeof old);
    if (op.function == warp::Atomic::exch) {
      std::memcpy(places_[lane], b.data(), sizeof b);
    } else if (old == b) {
      const Halves c{lane_value(file, op.swap, lane), lane_value(file, op.swap_high, lane)};
      std::memcpy(places_[lane], c.data(), sizeof c);
    }
    set_lane_value(file, op.data[0], lane, old[0]);
    set_lane_value(file, op.data[1], lane, old[1]);
  }
}

void MemoryUnit::atomic(const MemoryOp& op, LaneMask lanes, LaneFile& file) {
  if (op.type == ptx::Type::b128)
    return exchange_wide(op, lanes, file);
  const AtomicFunction apply = atomic_function(op.function, op.type);
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t lane = lowest(lanes);
    const std::uint64_t c = op.swap.pool == Pool::none ? 0 : lane_value(file, op.swap, lane);
    for (std::uint32_t e = 0; e < op.elements; ++e) {
      const std::uint64_t b = lane_value(file, op.operands[e], lane);
      set_lane_value(file, op.data[e], lane, apply(places_[lane] + e * op.element_bytes, b, c));
    }
  }
}

bool MemoryUnit::copy(const MemoryOp& op, LaneMask lanes, LaneFile& file) {
  if (!resolve(op, Space::shared, lanes, op.element_bytes, true))
    return false;
  const auto to = places_;
  read_addresses(op.from, file);
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t lane = lowest(lanes);
    std::uint64_t bytes = op.element_bytes;
    if (op.from_bytes.pool != Pool::none)
      bytes = std::min(bytes, lane_value(file, op.from_bytes, lane));
    if (op.ignores_source.pool != Pool::none &&
        ((file.predicate(op.ignores_source.index) >> lane & 1) != 0) != op.ignores_negated)
      bytes = 0;
    if (bytes > 0 && !resolve_lane(op, op.from_space, lane, static_cast<std::uint32_t>(bytes), false))
      return false;
    std::memset(to[lane], 0, op.element_bytes);
    std::memcpy(to[lane], places_[lane], bytes);
  }
  return true;
}

// Words of 8 bytes one after the other, as weak stores.
bool MemoryUnit::clear_bytes(const MemoryOp& op, std::uint32_t lane, std::uint64_t bytes) {
  for (const std::uint64_t end = addresses_[lane] + bytes; addresses_[lane] < end; addresses_[lane] += 8) {
    if (!resolve_lane(op, Space::shared, lane, 8, true))
      return false;
    const bool changes = read<std::uint64_t>(places_[lane]) != 0;
    if (meets_race(op, lane, true, changes))
      return false;
    write<std::uint64_t>(places_[lane], 0);
  }
  return true;
}

bool MemoryUnit::clear(const MemoryOp& op, LaneMask lanes, LaneFile& file) {
  constexpr std::uint64_t most = 16777216;
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t lane = lowest(lanes);
    const std::uint64_t bytes = lane_value(file, op.from_bytes, lane);
    if (bytes % 8 != 0 || bytes > most)
      return fail(fmt::format("st.bulk of {} bytes", bytes), lane,
                  fmt::format("sizes are multiples of 8 bytes, at most {}", most));
    if (!clear_bytes(op, lane, bytes))
      return false;
  }
  return true;
}

// Whether a store would change what lies at the lane's place.
bool MemoryUnit::changes(const MemoryOp& op, std::uint32_t lane, LaneFile& file) const {
  const std::uint64_t mask = op.element_bytes == 8 ? ~0ULL : (1ULL << (8 * op.element_bytes)) - 1;
  for (std::uint32_t e = 0; e < op.elements; ++e)
    if (read_bytes(places_[lane] + e * op.element_bytes, op.element_bytes) !=
        (lane_value(file, op.data[e], lane) & mask))
      return true;
  return false;
}

// Null where races are not looked for: in other memory than a CTA's shared one.
RaceCheck* MemoryUnit::races_at(std::uint64_t address) const {
  if (address < space_.shared().size())
    return races_;
  const ClusterMember* member = space_.member_at(address);
  return member == nullptr ? nullptr : member->races;
}

// `changes`: a store would write another value than the one that is there.
bool MemoryUnit::meets_race(const MemoryOp& op, std::uint32_t lane, bool stores, bool changes) {
  const std::uint64_t address = addresses_[lane];
  RaceCheck* races = races_at(address);
  if (races == nullptr)
    return false;
  const std::uint32_t who = rank_ * warps_per_cta + warp_;
  const std::uint64_t offset = warp::shared_offset(address);
  const std::optional<Race> race =
      stores ? races->store(offset, op.bytes(), who, changes) : races->load(offset, op.bytes(), who);
  if (!race)
    return false;
  const bool is_of_other_cta = race->other_warp / warps_per_cta != rank_;
  fail(fmt::format("race: {} {} bytes at shared {:#x}, which warp {}{} {} without a barrier in between",
                   verb(op, stores), op.bytes(), offset, race->other_warp % warps_per_cta,
                   is_of_other_cta ? fmt::format(" of the cluster's CTA {}", race->other_warp / warps_per_cta)
                                   : "",
                   race->other_stored ? "stores" : "loads"),
       lane,
       is_of_other_cta ? "put a barrier of the cluster between them, or use atomics"
                       : "put a __syncthreads() between them, or use atomics");
  return true;
}

bool MemoryUnit::is_racing(const MemoryOp& op, LaneMask lanes, LaneFile& file) {
  const bool stores = op.kind == MemoryOp::Kind::store;
  for (; lanes != 0; lanes &= lanes - 1)
    if (meets_race(op, lowest(lanes), stores, stores && changes(op, lowest(lanes), file)))
      return true;
  return false;
}

// The common access of all lanes to consecutive elements; false if it is none.
bool MemoryUnit::execute_together(const MemoryOp& op, LaneFile& file) {
  if (op.kind == MemoryOp::Kind::store)
    return store_all(op, file);
  return op.kind == MemoryOp::Kind::load && load_all(op, file);
}

// Words of buffers; the lanes' addresses are those of the operation.
void MemoryUnit::note_stores(const MemoryOp& op, LaneMask lanes, LaneFile& file) {
  constexpr std::uint32_t word_bytes = 4;
  if (op.element_bytes < word_bytes)
    return;
  ++writer_.serial;
  writer_.warp = static_cast<std::uint16_t>(warp_);
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t lane = lowest(lanes);
    if (!space_.is_in_buffer(addresses_[lane]))
      continue;
    writer_.lane = static_cast<std::uint8_t>(lane);
    const BufferPlace place = space_.buffer_place(addresses_[lane]);
    for (std::uint32_t e = 0; e < op.elements; ++e)
      for (std::uint32_t part = 0; part < op.element_bytes / word_bytes; ++part)
        global_races_->store(place.buffer, place.offset + e * op.element_bytes + part * word_bytes,
                             static_cast<std::uint32_t>(lane_value(file, op.data[e], lane) >> (32 * part)),
                             writer_);
  }
}

// Those of the buffer that the last lane loads from; of neighbouring lanes in one go.
void MemoryUnit::note_loads(const MemoryOp& op, LaneMask lanes) {
  const std::size_t buffer = space_.buffer_place(window_.base).buffer;
  const std::uint32_t bytes = op.bytes();
  while (lanes != 0) {
    const std::uint64_t begin = addresses_[lowest(lanes)];
    std::uint64_t end = begin + bytes;
    for (lanes &= lanes - 1; lanes != 0 && end - addresses_[lowest(lanes)] <= bytes; lanes &= lanes - 1)
      end = addresses_[lowest(lanes)] + bytes;
    if (begin - window_.base < window_.bytes)
      global_races_->load(buffer, begin - window_.base, end - begin, writer_.cta, writer_.line);
  }
}

bool MemoryUnit::execute(const MemoryOp& op, LaneMask lanes, LaneFile& file) {
  read_addresses(op.address, file);
  const bool may_race =
      global_races_ != nullptr && op.is_weak && (op.space == Space::global || op.space == Space::generic);
  if (may_race && op.kind == MemoryOp::Kind::store)
    note_stores(op, lanes, file);
  if (!execute_at_addresses(op, lanes, file))
    return false;
  if (may_race && op.kind == MemoryOp::Kind::load && window_.has_watched_loads)
    note_loads(op, lanes);
  return true;
}

bool MemoryUnit::image(const warp::ImageOp& op, LaneMask lanes, LaneFile& file) {
  const bool done = images_.execute(op, lanes, file, warp_);
  if (!done)
    fault_ = images_.fault();
  return done;
}

bool MemoryUnit::execute_at_addresses(const MemoryOp& op, LaneMask lanes, LaneFile& file) {
  const bool plain = op.kind == MemoryOp::Kind::load || op.kind == MemoryOp::Kind::store;
  const bool may_race =
      races_ != nullptr && op.is_weak && plain && (op.space == Space::shared || op.space == Space::generic);
  if (lanes == warp::all_lanes && !may_race && execute_together(op, file))
    return true;
  if (op.kind == MemoryOp::Kind::copy)
    return copy(op, lanes, file);
  if (op.kind == MemoryOp::Kind::clear)
    return clear(op, lanes, file);
  if (!resolve(op, op.space, lanes, op.bytes(), op.kind != MemoryOp::Kind::load) ||
      (may_race && is_racing(op, lanes, file)))
    return false;
  if (op.kind == MemoryOp::Kind::load)
    load(op, lanes, file);
  else if (op.kind == MemoryOp::Kind::store)
    store(op, lanes, file);
  else
    atomic(op, lanes, file);
  return true;
}

} // namespace kerncast::functional
