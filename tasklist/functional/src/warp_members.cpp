// Operations over lanes with a member mask (vote, match, shfl, redux, elect, bar.warp.sync): a group waits
// for the threads that the masks of its own name and that have not left the kernel, wherever they come to the
// same operation, in whatever block (PTX ISA, section 9.7.9, of each: "the executing thread waits until all
// non-exited threads corresponding to membermask have executed" it "with the same qualifiers and same
// membermask value"). Barriers of the CTA and matrix operations wait for
// all threads of the warp, so that these come as one.
#include "warp.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace kerncast::functional {

using warp::LaneMask;
using warp::MembersOp;
using warp::MicroOp;
using warp::Step;

Warp::Steps Warp::check_members(const Step& step, LaneMask lanes) {
  const MembersOp& op = program_.members[step.index];
  const LaneMask apart = groups_.alive() & ~groups_.current().mask;
  if (op.mask.pool == warp::Pool::none)
    return apart == 0 ? std::nullopt : wait_for(apart, lanes);
  const auto& masks = file_.lanes<std::uint32_t>(op.mask.index);
  LaneMask named = 0;
  bool is_one = true;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    if (!warp::has(masks[lane], lane)) {
      fault_ = {fmt::format("this thread is not in its own member mask 0x{:08x}", masks[lane]),
                "the mask must name every thread that executes the instruction; the result is undefined",
                step.line, number_, lane};
      return Turn::faulted;
    }
    is_one = is_one && (named == 0 || named == masks[lane]);
    named |= masks[lane];
  }
  if ((named & groups_.alive() & ~lanes) == 0)
    return std::nullopt;
  if (is_one && lanes == active_)
    return wait_for(named & ~lanes, lanes);
  part_by_masks(op, lanes);
  return part();
}

// Other groups of the warp go on.
Warp::Steps Warp::part() {
  parted_ = true;
  in_block_ = false;
  return Turn::paused;
}

Warp::Steps Warp::wait_for(LaneMask wanted, LaneMask lanes) {
  Stop stop{step_ - 1, entered_, active_, lanes, wanted, true, {}};
  if (record_)
    stop.shapes = record_->shapes();
  groups_.stop(std::move(stop));
  return part();
}

// Those of one mask wait by themselves, and those that a guard switches off go on.
void Warp::part_by_masks(const MembersOp& op, LaneMask lanes) {
  const auto& masks = file_.lanes<std::uint32_t>(op.mask.index);
  std::vector<std::uint32_t> shapes;
  if (record_)
    shapes = record_->shapes();
  for (LaneMask left = lanes; left != 0;) {
    const std::uint32_t mask = masks[static_cast<std::uint32_t>(std::countr_zero(left))];
    LaneMask same = 0;
    for (LaneMask rest = left; rest != 0; rest &= rest - 1)
      if (const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest)); masks[lane] == mask)
        same |= LaneMask{1} << lane;
    left &= ~same;
    groups_.stop_apart(same, {step_ - 1, same, same, same, mask & ~same, true, shapes});
  }
  const LaneMask off = active_ & ~lanes;
  if (off != 0)
    groups_.stop({step_ - 1, off, off, 0, 0, false, std::move(shapes)});
}

void Warp::continue_block(Stop&& stop) {
  block_ = groups_.current().block;
  entered_ = stop.entered;
  active_ = stop.active;
  step_ = stop.step + 1 + members_of(stop).operations;
  in_block_ = true;
  if (record_)
    record_->go_on_with(std::move(stop.shapes));
}

const MembersOp& Warp::members_of(const Stop& stop) const {
  return program_.members[program_.steps[stop.step].index];
}

const MicroOp& Warp::operation_of(const Stop& stop, std::uint32_t number) const {
  return program_.ops[program_.steps[stop.step + 1 + number].index];
}

bool Warp::fit(const Stop& a, const Stop& b) const {
  const MembersOp &of_a = members_of(a), &of_b = members_of(b);
  return of_a.kind == of_b.kind && of_a.value == of_b.value && of_a.immediate == of_b.immediate;
}

// Those that wait for each other, if nobody else is missing.
std::vector<Stop*> Warp::complete_around(Stop* first, const std::vector<Stop*>& all) const {
  std::vector<Stop*> together{first};
  LaneMask arrived = first->arrived;
  for (std::size_t i = 0; i < together.size(); ++i)
    for (Stop* other : all) {
      const bool is_new = std::ranges::find(together, other) == together.end();
      const bool name_each_other =
          (together[i]->wanted & other->arrived) != 0 && (other->wanted & together[i]->arrived) != 0;
      if (is_new && name_each_other && fit(*first, *other)) {
        together.push_back(other);
        arrived |= other->arrived;
      }
    }
  const bool is_complete = std::ranges::all_of(
      together, [&](const Stop* stop) { return (stop->wanted & groups_.alive() & ~arrived) == 0; });
  return is_complete ? together : std::vector<Stop*>{};
}

// False if nobody can go on.
bool Warp::let_members_go() {
  const std::vector<Stop*> all = groups_.waiting();
  for (Stop* first : all) {
    const std::vector<Stop*> together = complete_around(first, all);
    if (together.empty())
      continue;
    execute_together(together);
    groups_.release(together);
    repeated_.forget(); // what other groups did is in no slot of this one's loops
    return true;
  }
  return false;
}

// Each stop may name another register: while its operations are executed, its source holds, in the lanes of
// the others, what the source of those holds.
void Warp::execute_together(const std::vector<Stop*>& stops) {
  if (members_of(*stops.front()).kind != MembersOp::Kind::exchange)
    return;
  LaneMask all = 0;
  std::vector<std::vector<std::uint64_t>> before; // by stop, before anyone's result
  for (const Stop* stop : stops) {
    all |= stop->arrived;
    append_lanes(file_, members_of(*stop).source, before.emplace_back());
  }
  for (const Stop* stop : stops) {
    const warp::SlotId source = members_of(*stop).source;
    for (std::uint32_t k = 0; k < members_of(*stop).operations; ++k) {
      const MicroOp& op = operation_of(*stop, k);
      std::vector<std::uint64_t> own;
      append_lanes(file_, source, own);
      for (std::size_t j = 0; j < stops.size(); ++j)
        if (stops[j] != stop)
          restore_lanes(file_, source, before[j].data(), stops[j]->arrived);
      file_.set_executing(all);
      op.apply(file_, op, 0);
      restore_lanes(file_, source, own.data(), warp::all_lanes);
      file_.blend(op.destination, 0, stop->arrived);
    }
  }
}

Fault Warp::members_deadlock() {
  const Stop& first = *groups_.waiting().back();
  return {fmt::format("deadlock in a warp: this thread waits for threads of its member mask that do not come "
                      "(lanes 0x{:08x})",
                      first.wanted & groups_.alive()),
          "every thread that the mask names must execute the instruction, or have left the kernel",
          program_.steps[first.step].line, number_,
          static_cast<std::uint32_t>(std::countr_zero(first.arrived))};
}

} // namespace kerncast::functional
