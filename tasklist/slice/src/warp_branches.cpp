// What happens at the end of a block: divergence, reconvergence, and branches on unknown data.
#include <bit>

#include <fmt/format.h>

#include "warp/decode.h"
#include "warp/indirect_branch.h"
#include "warp_executor.h"

namespace kerncast::slice {
namespace {

// Blocks between a branch and the place where its sides join.
std::vector<BlockId> blocks_on_sides(const Program& program, BlockId branch_block) {
  std::vector<BlockId> open, found;
  std::vector<bool> seen(program.blocks.size());
  const auto follow = [&open](const Terminator& t) {
    open.push_back(t.next);
    open.push_back(t.taken);
    open.insert(open.end(), t.targets.begin(), t.targets.end());
  };
  const BlockId join = program.blocks[branch_block].terminator.reconvergence;
  follow(program.blocks[branch_block].terminator);
  while (!open.empty()) {
    const BlockId b = open.back();
    open.pop_back();
    if (b == no_id || b == join || seen[b])
      continue;
    seen[b] = true;
    found.push_back(b);
    follow(program.blocks[b].terminator);
  }
  return found;
}

} // namespace

void WarpExecutor::leave_block(BlockId block, LaneMask active) {
  const Terminator& t = program_.blocks[block].terminator;
  switch (t.kind) {
  case Terminator::Kind::next:
    stack_.top().block = t.next;
    break;
  case Terminator::Kind::exit:
    stack_.exit(active);
    break;
  case Terminator::Kind::branch:
    branch(block, t, active);
    break;
  case Terminator::Kind::indirect:
    branch_indirect(block, t, active);
    break;
  }
}

void WarpExecutor::branch(BlockId block, const Terminator& t, LaneMask active) {
  const Guarded g = guarded(t.guard, t.guard_negated, active);
  LaneMask taken = g.on, next = active & ~g.on & ~g.unknown;
  LaneMask both = 0;
  if (g.unknown != 0) {
    has_guessed_ = true;
    const auto decided = decide(block, t, g.unknown);
    both = decided ? 0 : g.unknown;
    taken |= decided.value_or(g.unknown);
    next |= g.unknown & ~decided.value_or(0);
  }
  if (const auto target = warp::common_target(t, taken, next)) {
    stack_.top().block = *target;
    return;
  }
  diverge(t, taken, next, both == 0 ? no_id : save(block, both));
}

// The taken side executes first. An empty side (its target is where the sides join) is not pushed.
void WarpExecutor::diverge(const Terminator& t, LaneMask taken, LaneMask next, std::uint32_t saved) {
  using Resume = StackEntry::Resume;
  const bool unknown = saved != no_id;
  const LaneMask duplicated = unknown ? saved_[saved].lanes : 0;
  StackEntry& join = stack_.top();
  join.block = t.reconvergence;
  if (unknown) {
    if (stack_.depth() > deep) {
      ++deeply_nested_;
      deep_branch_line_ = t.line;
    }
    join.resume = Resume::forget;
    join.saved = saved;
  }
  const bool taken_is_empty = t.taken == t.reconvergence, next_is_empty = t.next == t.reconvergence;
  if (!next_is_empty)
    stack_.push({t.next, t.reconvergence, next, duplicated,
                 unknown && !taken_is_empty ? Resume::restore : Resume::plain, saved});
  if (!taken_is_empty)
    stack_.push({t.taken, t.reconvergence, taken, duplicated, Resume::plain, no_id});
}

std::uint32_t WarpExecutor::save(BlockId branch_block, LaneMask lanes) {
  const auto [entry, added] = side_slots_.try_emplace(branch_block);
  if (added)
    entry->second = written_slots(program_, blocks_on_sides(program_, branch_block));
  SavedSlots saved;
  saved.lanes = lanes;
  saved.slots = entry->second;
  saved.before = saved.other_way = state_of(saved.slots);
  saved_.push_back(std::move(saved));
  return static_cast<std::uint32_t>(saved_.size() - 1);
}

SlotState WarpExecutor::state_of(std::span<const SlotId> slots) {
  SlotState state;
  for (const SlotId slot : slots) {
    state.known.push_back(file_.known(slot));
    append_lanes(file_, slot, state.values);
    state.origins.push_back(origins_.of(slot));
  }
  return state;
}

void WarpExecutor::resume(StackEntry& entry) {
  if (entry.resume == StackEntry::Resume::plain)
    return;
  SavedSlots& saved = saved_[entry.saved];
  if (entry.resume == StackEntry::Resume::forget) {
    join(saved);
    // Branches inside the sides are done with, so everything kept since is free.
    saved_.resize(entry.saved);
  } else {
    saved.other_way = state_of(saved.slots);
    go_back(saved);
  }
  entry.resume = StackEntry::Resume::plain;
}

void WarpExecutor::go_back(const SavedSlots& saved) {
  std::size_t at = 0;
  for (std::size_t s = 0; s < saved.slots.size(); ++s) {
    LaneMask& known = file_.known(saved.slots[s]);
    known = (known & ~saved.lanes) | (saved.before.known[s] & saved.lanes);
    at += restore_lanes(file_, saved.slots[s], &saved.before.values[at], saved.lanes);
    origins_.replace(saved.slots[s], saved.lanes, saved.before.origins[s]);
  }
}

// What either way wrote is unknown.
void WarpExecutor::join(const SavedSlots& saved) {
  std::size_t at = 0;
  for (std::size_t s = 0; s < saved.slots.size(); ++s) {
    const SlotId slot = saved.slots[s];
    const LaneMask known = file_.known(slot);
    file_.known(slot) = known & ~saved.lanes;
    const std::span<const std::uint64_t> values = std::span(saved.other_way.values).subspan(at);
    origins_.join(slot, saved.lanes, known, file_,
                  {saved.other_way.known[s], values, saved.other_way.origins[s]});
    at += slot.pool == Pool::predicate ? 1 : lanes_per_warp;
  }
}

// Every target is executed.
void WarpExecutor::guess_target(BlockId block, const Terminator& t, LaneMask unknown) {
  has_guessed_ = true;
  const std::string text = t.calls ? "the function of the call is unknown; every one is taken"
                                   : "the index of the branch is unknown; every target is taken";
  assumptions_.add(t.line, fmt::format("line {}: {}", t.line, text));
  stack_.top().resume = StackEntry::Resume::forget;
  stack_.top().saved = save(block, unknown);
}

// brx.idx: sides that join again after all targets.
void WarpExecutor::branch_indirect(BlockId block, const Terminator& t, LaneMask active) {
  steady_.give_up();
  const LaneMask known = t.index.pool == Pool::none ? 0 : file_.known(t.index) & active;
  if (known != active)
    guess_target(block, t, active & ~known);
  StackEntry& join = stack_.top();
  join.block = t.reconvergence;
  const std::uint32_t saved = join.saved;
  const auto resume = saved == no_id ? StackEntry::Resume::plain : StackEntry::Resume::restore;
  LaneMask left = known;
  for (std::uint32_t i = 0; i < t.targets.size(); ++i) {
    const LaneMask going = left == 0 ? 0 : left & warp::lanes_going_to(t, i, file_);
    left &= ~going;
    const LaneMask lanes = going | (t.targets[i] == no_id ? 0 : active & ~known);
    if (lanes != 0 && t.targets[i] != t.reconvergence)
      stack_.push({t.targets[i], t.reconvergence, lanes, active & ~known, resume, saved});
  }
  if (left != 0)
    lose(t, left);
}

// Lanes whose index has no target.
void WarpExecutor::lose(const Terminator& t, LaneMask lanes) {
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
  const warp::NoTarget none = warp::no_target(t, lane, file_);
  if (!has_guessed_)
    fault_ = located(t.line, lane, none.what, none.note);
  else
    assumptions_.add(t.line,
                     fmt::format("line {}: {}, where branches on unknown data may have led; the threads "
                                 "go on behind it",
                                 t.line, none.what));
}

} // namespace kerncast::slice
