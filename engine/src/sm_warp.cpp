// One warp of an SM: what is rare on its way along its path.
#include <algorithm>

#include "sm_issue.h"

namespace kerncast::engine {

// Any operation, which issues at `issued`.
void Sm::execute(SubCore& core, Warp& warp, const HotOp& op, Time issued, std::int64_t now) {
  const Time start = hold_unit(core, warp, op, issued);
  switch (op.kind) {
  case SmOpKind::memory:
    execute_memory(warp, op, start, now);
    return;
  case SmOpKind::barrier:
    execute_barrier(warp, op, start, now);
    return;
  case SmOpKind::commit:
    commit_group(warp, cold(op).async);
    break;
  case SmOpKind::launch_dependents:
    ctas_[warp.cta].triggered = std::min(ctas_[warp.cta].triggered, issued);
    break;
  case SmOpKind::wait_for_primary:
    note_wait_for_primary(warp, issued);
    break;
  case SmOpKind::compute:
  case SmOpKind::fence:
  case SmOpKind::exit:
  case SmOpKind::wait_group:
    break;
  }
  execute_compute(warp, op, start, now);
}

// Later waits of the warp find the kernel before ended.
void Sm::note_wait_for_primary(Warp& warp, Time issued) {
  if (ctas_[warp.cta].is_of_first_wave && !warp.waited_for_primary)
    dependents_.reached_wait(issued);
  warp.waited_for_primary = true;
}

Time Sm::hold_unit(SubCore& core, const Warp& warp, const HotOp& op, Time issued) {
  Time& free_at = *core.units.free_at[op.unit];
  Pipelines& pipelines = pipelines_[static_cast<std::size_t>(&free_at - unit_free_at_.data())];
  if (pipelines.free_at.empty())
    return hold(warp, op, free_at, issued);
  const Time start = hold(warp, op, pipelines.first(), issued);
  free_at = pipelines.first();
  return start;
}

void Sm::execute_memory(Warp& warp, const HotOp& op, Time start, std::int64_t now) {
  const Time served = known_ == nullptr ? serve(warp, op, start) : serve_known(warp, op, start);
  if (!is_known(served)) {
    await(warp, op, served);
    return;
  }
  const Time done = op.latency + served;
  if (op.async != AsyncKind::none) {
    end_asynchronously(warp, op, delivered_bytes(warp, op), done, now);
    return;
  }
  warp.memory_completed = std::max(warp.memory_completed, done);
  if (op.returns_data)
    note_load(warp, done);
  const Time result = op.returns_data ? done : start;
  write_results(warp, op, result, result);
}

// That the copy at which the warp is brings to an mbarrier.
std::uint64_t Sm::delivered_bytes(const Warp& warp, const HotOp& op) const {
  if (op.async != AsyncKind::transactions)
    return 0;
  const std::uint32_t request = program_.request_pool[warp.requests + op.access];
  const std::uint64_t known = program_.requests[request].signalled_bytes;
  return known != 0 ? known : cold(op).delivered_bytes;
}

// The warp does not wait for `done`, unless it says so.
void Sm::end_asynchronously(Warp& warp, const HotOp& op, std::uint64_t bytes, Time done, std::int64_t now) {
  warp.completed = std::max(warp.completed, because(done, op.waits_as));
  if (op.async == AsyncKind::transactions)
    deliver(warp.cta, warp.announced_at, bytes, done, now);
  else
    join_group(warp, op.async, done);
}

void Sm::execute_compute(Warp& warp, const HotOp& op, Time start, std::int64_t now) {
  const Time done = start + op.latency;
  if (op.kind == SmOpKind::compute && op.async != AsyncKind::none) {
    end_asynchronously(warp, op, cold(op).delivered_bytes, done, now);
    return;
  }
  const double cross = op.kind == SmOpKind::compute ? cold(op).cross_latency : 0;
  write_results(warp, op, done, cross != 0 ? start + to_time(cross) : done);
}

// `done_elsewhere`: for operations of other units.
void Sm::write_results(Warp& warp, const HotOp& op, Time done, Time done_elsewhere) {
  write_slots(warp, op, done, done_elsewhere);
  warp.completed = std::max(warp.completed, because(done, op.waits_as));
}

void Sm::write_slots(Warp& warp, const HotOp& op, Time done, Time done_elsewhere) {
  write_slot(warp, op, op.destination, done, done_elsewhere);
  const std::uint16_t* const slots = program_.slots.data() + op.more + op.more_sources;
  for (std::uint32_t i = 0; i < op.more_destinations; ++i)
    write_slot(warp, op, slots[i], done, done_elsewhere);
}

void Sm::write_slot(Warp& warp, const HotOp& op, std::uint16_t slot, Time done, Time done_elsewhere) {
  warp.ready_at[slot] = because(std::min(done, done_elsewhere), op.waits_as);
  if (!cross_times_.empty())
    cross_times_[static_cast<std::size_t>(warp.ready_at - ready_at_.data()) + slot] = {
        because(done, op.waits_as), because(done_elsewhere, op.waits_as), op.unit};
}

// Goes to `step`, closing loops on the way, until a step with operations or the end of the path.
void Sm::enter_step(Warp& warp, std::uint32_t step) {
  while (true) {
    const Step& at = program_.steps[step];
    warp.step = step;
    if (at.kind == Step::Kind::finish) {
      warp.op = nullptr;
      return;
    }
    if (at.kind == Step::Kind::run) {
      warp.op = ops_.data() + at.first_op;
      warp.end_op = ops_.data() + at.end_op;
      warp.requests = at.requests;
      return;
    }
    std::uint64_t& done = loop_counters_[place_of(warp) * program_.loop_depth + at.depth];
    const bool again = ++done < at.count;
    warp.draw += iteration_draw(at.depth) * (again ? 1 : 1 - done);
    done = again ? done : 0;
    step = again ? at.target : step + 1;
  }
}

} // namespace kerncast::engine
