#include "engine/request_of.h"

#include <cassert>

#include "memory_space.h"

namespace kerncast::engine {
namespace {

using memory_model::AccessKind;
using memory_model::MemorySpace;
using tasklist::Space;
using tasklist::TaskKind;

AccessKind access_kind(TaskKind kind) {
  if (kind == TaskKind::store)
    return AccessKind::store;
  return kind == TaskKind::atomic || kind == TaskKind::reduction ? AccessKind::atomic : AccessKind::load;
}

memory_model::LaneAddresses lanes_of(const machine::MachineOp& op, const tasklist::AddressShape& shape) {
  const auto bulk = shape.bulk ? std::optional(shape.bulk->moved_bytes) : std::nullopt;
  const std::uint32_t mask = machine::accessing_lanes(op.is_one_lane, shape.mask);
  return {shape.known,     mask,           shape.bytes, shape.offsets, bulk, op.issue_interval,
          shape.scattered, op.trip_cycles, op.turns};
}

memory_model::Request signalling(const tasklist::AddressShape& shape, memory_model::Request request) {
  request.signalled_bytes = shape.bulk ? shape.bulk->signalled_bytes : 0;
  return request;
}

} // namespace

MemorySpace memory_space(Space space) {
  switch (space) {
  case Space::shared:
    return MemorySpace::shared;
  case Space::local:
    return MemorySpace::local;
  case Space::constant:
  case Space::param:
    return MemorySpace::constant;
  case Space::texture:
    return MemorySpace::texture;
  case Space::none:
  case Space::global:
  case Space::generic:
    return MemorySpace::global;
  }
  assert(false && "every space is handled");
  return MemorySpace::global;
}

memory_model::Request request_of(const machine::MachineOp& op, const tasklist::AddressShape& shape,
                                 const memory_model::HitRates& hits, const configs::Gpu& gpu) {
  return signalling(shape, memory_model::make_request(memory_space(op.space), access_kind(op.task_kind),
                                                      lanes_of(op, shape), hits, gpu));
}

double shared_wavefronts_of(const machine::MachineOp& op, const tasklist::AddressShape& shape,
                            const configs::Gpu& gpu) {
  return memory_model::shared_wavefronts(access_kind(op.task_kind), lanes_of(op, shape), gpu);
}

tasklist::AddressShape spill_shape(const machine::MachineOp& op, std::uint32_t active_mask) {
  tasklist::AddressShape shape;
  shape.mask = active_mask;
  shape.bytes = op.access_bytes;
  for (std::uint32_t lane = 0; lane < tasklist::lanes_per_warp; ++lane)
    if ((active_mask >> lane & 1) != 0)
      shape.offsets[lane] = std::uint64_t{lane} * op.access_bytes;
  return shape;
}

tasklist::AddressShape shape_of(const machine::MachineOp& op, const tasklist::BlockVisit& visit,
                                const tasklist::LaunchBehaviour& behaviour) {
  return op.is_spill ? spill_shape(op, visit.active_mask)
                     : behaviour.shapes[behaviour.access_pool[visit.accesses.begin + op.access]];
}

memory_model::Request split_request_of(const machine::MachineOp& op, const tasklist::AddressShape& shape,
                                       const memory_model::HitRates& hits, const configs::Gpu& gpu) {
  return signalling(shape, memory_model::make_split_request(memory_space(op.space), access_kind(op.task_kind),
                                                            lanes_of(op, shape), hits, gpu));
}

} // namespace kerncast::engine
