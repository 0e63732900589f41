#include "analytical/profile.h"

namespace kerncast::analytical {
namespace {

using memory_model::AccessKind;
using memory_model::MemorySpace;
using tasklist::Space;
using tasklist::TaskKind;

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
  default:
    return MemorySpace::global;
  }
}

AccessKind access_kind(TaskKind kind) {
  if (kind == TaskKind::load)
    return AccessKind::load;
  return kind == TaskKind::store ? AccessKind::store : AccessKind::atomic;
}

} // namespace

RequestOf oracle_requests(const memory_model::HitRates& hits, const configs::Gpu& gpu) {
  return [hits, &gpu](const machine::MachineOp& op, const tasklist::AddressShape& shape) {
    const memory_model::LaneAddresses lanes{
        .known = shape.known, .mask = shape.mask, .bytes_per_lane = shape.bytes, .offsets = shape.offsets};
    return memory_model::make_request(memory_space(op.space), access_kind(op.task_kind), lanes, hits, gpu);
  };
}

} // namespace kerncast::analytical
