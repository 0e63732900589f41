// A copy of an SM in the middle of a run, to see what becomes of it.
#include <cassert>

#include "sm.h"

namespace kerncast::engine {
namespace {

template <class Vector, class Pointer> void repoint(Pointer& pointer, const Vector& from, Vector& to) {
  if (pointer != nullptr)
    pointer = to.data() + (pointer - from.data());
}

} // namespace

Sm Sm::copy() const {
  Sm same(*this);
  same.point_into_itself(*this);
  return same;
}

Sm Sm::with(const std::vector<CtaRun>& ctas) const {
  Sm alone = copy();
  alone.go_on_with(ctas);
  return alone;
}

void Sm::point_into_itself(const Sm& copied) {
  assert(awaited_.empty() && late_arrivals_.empty() && trace_ == nullptr &&
         "an SM with its own memory, which nobody observes");
  for (HotOp& op : ops_)
    repoint(op.charges, copied.charges_, charges_);
  for (Warp& warp : warps_) {
    for (const HotOp** op : {&warp.op, &warp.end_op, &warp.barrier, &warp.last})
      repoint(*op, copied.ops_, ops_);
    repoint(warp.ready_at, copied.ready_at_, ready_at_);
  }
  for (SubCore& core : cores_) {
    for (Warp*& warp : core.warps)
      repoint(warp, copied.warps_, warps_);
    for (Time*& free_at : core.units.free_at)
      repoint(free_at, copied.unit_free_at_, unit_free_at_);
    for (Time*& free_at : core.unit_free_at)
      repoint(free_at, copied.unit_free_at_, unit_free_at_);
  }
}

} // namespace kerncast::engine
