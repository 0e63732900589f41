// Operations over lanes with a member mask (vote, match, shfl, redux, elect, bar.warp.sync): a group waits
// for the threads that the masks of its own name and that have not left the kernel, wherever they come to the
// same operation, in whatever block (PTX ISA, section 9.7.9, of each: "the executing thread waits until all
// non-exited threads corresponding to membermask have executed" it "with the same qualifiers and same
// membermask value"). Lanes of a group that a guard switches off are not waited for.
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
  const auto& masks = file_.lanes<std::uint32_t>(program_.members[step.index].mask.index);
  LaneMask named = 0;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    if (!warp::has(masks[lane], lane)) {
      fault_ = {fmt::format("this thread is not in its own member mask 0x{:08x}", masks[lane]),
                "the mask must name every thread that executes the instruction; the result is undefined",
                step.line, number_, lane};
      return Turn::faulted;
    }
    named |= masks[lane];
  }
  const LaneMask wanted = named & ~groups_.current().mask;
  if ((wanted & groups_.alive()) == 0)
    return std::nullopt;
  Stop stop{step_ - 1, entered_, active_, lanes, wanted, true, {}};
  if (record_)
    stop.shapes = record_->shapes();
  groups_.stop(std::move(stop));
  return Turn::parted;
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
  return of_a.value == of_b.value && of_a.immediate == of_b.immediate;
}

// Those that wait for each other, if nobody else is missing.
std::vector<Stop*> Warp::complete_around(Stop* first, const std::vector<Stop*>& all) const {
  std::vector<Stop*> together{first};
  LaneMask arrived = first->arrived;
  for (std::size_t i = 0; i < together.size(); ++i)
    for (Stop* other : all) {
      const bool is_new = std::ranges::find(together, other) == together.end();
      if (is_new && (together[i]->wanted & other->arrived) != 0 && fit(*first, *other)) {
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
    for (Stop* stop : together)
      stop->waits = false;
    return true;
  }
  return false;
}

// Each stop may name other registers: while its operations are executed, its sources hold, in the lanes of
// the others, what the sources of those hold.
void Warp::execute_together(const std::vector<Stop*>& stops) {
  LaneMask all = 0;
  for (const Stop* stop : stops)
    all |= stop->arrived;
  const std::uint32_t sources = members_of(*stops.front()).source_count;
  using Values = std::vector<std::vector<std::uint64_t>>; // by source
  const auto values_of = [&](const Stop& stop) {
    Values values(sources);
    for (std::uint32_t s = 0; s < sources; ++s)
      append_lanes(file_, members_of(stop).sources[s], values[s]);
    return values;
  };
  std::vector<Values> before; // by stop, before anyone's result
  for (const Stop* stop : stops)
    before.push_back(values_of(*stop));
  for (const Stop* stop : stops) {
    const auto put = [&](const Values& values, LaneMask lanes) {
      for (std::uint32_t s = 0; s < sources; ++s)
        restore_lanes(file_, members_of(*stop).sources[s], values[s].data(), lanes);
    };
    for (std::uint32_t k = 0; k < members_of(*stop).operations; ++k) {
      const MicroOp& op = operation_of(*stop, k);
      const Values own = values_of(*stop);
      for (std::size_t j = 0; j < stops.size(); ++j)
        if (stops[j] != stop)
          put(before[j], stops[j]->arrived);
      file_.set_executing(all);
      op.apply(file_, op, 0);
      put(own, warp::all_lanes);
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
