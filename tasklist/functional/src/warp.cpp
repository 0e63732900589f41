#include "warp.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "host_bytes.h"
#include "warp/indirect_branch.h"

namespace kerncast::functional {
namespace {

using tasklist::BlockId;
using tasklist::no_id;
using warp::all_lanes;
using warp::LaneMask;
using warp::Pool;
using warp::Step;
using warp::Terminator;

// Visits of blocks after which another warp of the CTA has its turn: it may be what this one waits for, of a
// cooperative grid a warp of any CTA, and for each of its barriers anew.
constexpr std::uint64_t visits_per_turn = 4096, visits_per_turn_of_grid = 64;

LaneMask lanes_of_warp(std::uint32_t warp, std::uint32_t threads) {
  const std::uint32_t count = threads - warp * warp::lanes_per_warp;
  return count >= warp::lanes_per_warp ? all_lanes : (LaneMask{1} << count) - 1;
}

} // namespace

Warp::Warp(const LaunchState& state, std::uint32_t number)
    : state_(state), program_(state.program), number_(number),
      file_(program_.slots.predicates, program_.slots.words, program_.slots.longs),
      constants_(program_, state.launch, state.parameters),
      local_(AddressSpace::local_stride(program_) * warp::lanes_per_warp), repeated_(state.loop_controls) {
  constants_.fill_launch(file_);
  constants_.fill_warp(file_, number);
}

void Warp::start(tasklist::Dim3 cta, Recorder* recorder, std::uint32_t rank) {
  constants_.fill_cta(file_, cta);
  file_.clear_registers(program_.registers.predicates, program_.registers.words, program_.registers.longs);
  std::fill(local_.begin(), local_.end(), std::uint8_t{0});
  groups_.start(lanes_of_warp(number_, state_.launch.threads_per_cta()));
  preserved_ = 0;
  stack_end_.fill(0);
  in_block_ = parted_ = false;
  visits_ = work_ = 0;
  file_.set_clock(0);
  record_.reset();
  if (recorder != nullptr)
    record_.emplace(*recorder, rank, number_);
}

// One that can execute; where all wait for others, lanes that could go on without waiting do.
bool Warp::find_group() {
  while (!groups_.select()) {
    if (groups_.empty())
      return false;
    if (!let_members_go() && !groups_.split())
      return false;
  }
  preserved_ = groups_.others();
  return true;
}

void Warp::begin_block(Counts& counts) {
  block_ = groups_.current().block;
  entered_ = active_ = groups_.current().mask;
  step_ = program_.blocks[block_].first_step;
  in_block_ = true;
  file_.advance_clock(program_.blocks[block_].step_count);
  ++counts.block_warps[block_];
  counts.block_lanes[block_] += static_cast<std::uint64_t>(std::popcount(entered_));
  if (record_)
    record_->enter(block_);
}

// Into the next block; else why there is none.
Warp::Steps Warp::go_on(Counts& counts) {
  if (!find_group()) {
    if (!groups_.empty()) {
      fault_ = members_deadlock();
      return Turn::faulted;
    }
    if (record_)
      record_->finish();
    return Turn::finished;
  }
  if (auto stop = groups_.take_stop()) {
    continue_block(std::move(*stop));
    return std::nullopt;
  }
  begin_block(counts);
  ++visits_;
  work_ += state_.block_work[block_];
  if (is_endless()) {
    fault_ = {"this loop never ends: what decides whether it goes on is what it was in an earlier iteration",
              "check the loop's condition, and the launch's arguments",
              program_.loops[program_.blocks[block_].loop].line, number_,
              static_cast<std::uint32_t>(std::countr_zero(entered_))};
    return Turn::faulted;
  }
  if (work_ <= state_.max_work_per_warp)
    return std::nullopt;
  fault_ = runaway("a warp", visits_ - 1);
  return Turn::faulted;
}

// Looked at where a warp has been at it for long.
bool Warp::is_endless() {
  constexpr std::uint64_t first_look = 4096; // visits
  const warp::BlockProgram& block = program_.blocks[block_];
  return visits_ > first_look && block.is_header &&
         repeated_.repeats(block.loop, groups_.depth(), entered_, file_);
}

// What is left of the block at hand, or the next one.
Warp::Steps Warp::run_block(MemoryUnit& memory, Counts& counts) {
  if (!in_block_)
    if (const Steps turn = go_on(counts))
      return turn;
  if (const Steps turn = run_steps(memory))
    return turn;
  return leave_block(counts);
}

Warp::Turn Warp::run(MemoryUnit& memory, Counts& counts) {
  const std::uint64_t most = state_.is_cooperative ? visits_per_turn_of_grid : visits_per_turn;
  for (std::uint64_t visits = 0;; ++visits) {
    if (!in_block_ && visits == most)
      return Turn::paused;
    const Steps turn = run_block(memory, counts);
    if (turn && !std::exchange(parted_, false))
      return *turn;
  }
}

Fault Warp::runaway(std::string_view who, std::uint64_t visits) const {
  const std::uint32_t loop = program_.blocks[block_].loop;
  const std::uint32_t line = loop == no_id ? line_ : program_.loops[loop].line;
  return {fmt::format("{} visited {} blocks without leaving the kernel", who, visits),
          "the loop may never end, or wait for what never comes; --max-visits raises the limit", line,
          number_, static_cast<std::uint32_t>(std::countr_zero(entered_))};
}

LaneMask Warp::guarded(const Step& step) {
  if (step.guard.pool != Pool::predicate)
    return active_;
  return active_ & (file_.predicate(step.guard.index) ^ (step.guard_negated ? all_lanes : 0));
}

void Warp::compute(const Step& step) {
  const warp::MicroOp& op = program_.ops[step.index];
  if (step.guard.pool == Pool::none && (preserved_ & ~active_) == 0) {
    file_.set_executing(active_);
    op.apply(file_, op, op.destination.index);
    return;
  }
  const LaneMask lanes = guarded(step);
  if (lanes == 0)
    return;
  file_.set_executing(lanes);
  op.apply(file_, op, 0);
  file_.blend(op.destination, 0, lanes);
}

Warp::Steps Warp::run_steps(MemoryUnit& memory) {
  const warp::BlockProgram& block = program_.blocks[block_];
  const std::uint32_t end = block.first_step + block.step_count;
  while (step_ < end) {
    const Step& step = program_.steps[step_++];
    if (step.kind == Step::Kind::compute)
      compute(step);
    else if (const Steps turn = special_step(step, memory))
      return turn;
  }
  return std::nullopt;
}

Warp::Steps Warp::special_step(const Step& step, MemoryUnit& memory) {
  const LaneMask lanes = guarded(step);
  line_ = step.line;
  if (step.kind == Step::Kind::access) {
    if (record_)
      record(program_.accesses[step.index], lanes, memory);
    return std::nullopt;
  }
  if (lanes == 0)
    return std::nullopt;
  switch (step.kind) {
  case Step::Kind::memory:
  case Step::Kind::matrix_access:
  case Step::Kind::bulk_copy:
  case Step::Kind::tensor_copy:
  case Step::Kind::tensor_map:
  case Step::Kind::mbarrier:
  case Step::Kind::image:
  case Step::Kind::warpgroup:
  case Step::Kind::tensor_memory:
  case Step::Kind::tensor_move:
  case Step::Kind::tensor_multiply:
  case Step::Kind::system_call:
    return access(step, lanes, memory);
  case Step::Kind::matrix:
    return multiply(step, lanes);
  case Step::Kind::stack:
    return move_stack(program_.stack_ops[step.index], step, lanes);
  case Step::Kind::barrier:
    barrier_ = &program_.barriers[step.index];
    arrived_ = lanes;
    return Turn::barrier;
  case Step::Kind::members:
    return check_members(step, lanes);
  case Step::Kind::stop:
    fault_ = {program_.stops[step.index], "", step.line, number_,
              static_cast<std::uint32_t>(std::countr_zero(lanes))};
    return Turn::faulted;
  default:
    groups_.exit(lanes);
    active_ &= ~lanes;
    return std::nullopt;
  }
}

// A texture's or surface's addresses are those of the first texels.
void Warp::record(const warp::AccessStep& access, LaneMask lanes, MemoryUnit& memory) {
  if (access.is_bulk) {
    const auto map_at = [&](std::uint64_t address) { return memory.tensor_map(address); };
    const warp::BulkReader bulks(program_, map_at, true);
    return record_->bulk_copies(access, lanes, bulks.read(access, lanes, file_));
  }
  if (access.image == no_id)
    return record_->access(access, lanes, file_);
  warp::Lanes<std::uint64_t> addresses{};
  const bool found = memory.images().find_addresses(program_.images[access.image], lanes, file_, addresses);
  record_->note_texels();
  record_->access(access, lanes, found ? &addresses : nullptr);
}

bool Warp::execute(const Step& step, LaneMask lanes, MemoryUnit& memory) {
  switch (step.kind) {
  case Step::Kind::matrix_access:
    return memory.access_matrix(program_.matrix_accesses[step.index], lanes, file_);
  case Step::Kind::bulk_copy:
    return memory.bulk_copy(program_.bulk_copies[step.index], lanes, file_);
  case Step::Kind::tensor_copy:
    return memory.tensor_copy(program_.tensor_copies[step.index], lanes, file_);
  case Step::Kind::tensor_map:
    return memory.change_tensor_map(program_.tensor_map_changes[step.index], lanes, file_);
  case Step::Kind::warpgroup:
    return memory.multiply_warpgroup(program_.warpgroup_ops[step.index], lanes, file_);
  case Step::Kind::tensor_memory:
    return memory.tensor_memory(program_.tensor_memory_ops[step.index], lanes, file_);
  case Step::Kind::tensor_move:
    return memory.tensor_move(program_.tensor_moves[step.index], lanes, file_);
  case Step::Kind::tensor_multiply:
    return memory.tensor_multiply(program_.tensor_multiplies[step.index], lanes, file_);
  case Step::Kind::system_call:
    return memory.system_call(program_.system_calls[step.index], lanes, file_);
  case Step::Kind::image:
    return memory.image(program_.images[step.index], lanes, file_);
  case Step::Kind::mbarrier:
    return memory.mbarrier(program_.mbarriers[step.index], lanes, file_);
  default:
    return memory.execute(program_.memory_ops[step.index], lanes, file_);
  }
}

// In memory. Where nothing that was waited for has come yet, other warps have their turn.
Warp::Steps Warp::access(const Step& step, LaneMask lanes, MemoryUnit& memory) {
  memory.begin(step.line, local_.data(), number_);
  if (!execute(step, lanes, memory)) {
    fault_ = memory.fault();
    fault_.line = step.line;
    return Turn::faulted;
  }
  return step.kind == Step::Kind::mbarrier && is_still_waiting(program_.mbarriers[step.index], lanes)
             ? Steps(Turn::paused)
             : std::nullopt;
}

bool Warp::is_still_waiting(const warp::MbarrierOp& op, LaneMask lanes) {
  return op.destination.pool == Pool::predicate && (file_.predicate(op.destination.index) & lanes) == 0;
}

Warp::Steps Warp::multiply(const Step& step, LaneMask lanes) {
  if (lanes == all_lanes) {
    warp::execute_matrix_op(program_.matrix_ops[step.index], file_);
    return std::nullopt;
  }
  fault_ = {"a tensor operation that not all threads of the warp execute", "its result is undefined",
            step.line, number_, static_cast<std::uint32_t>(std::countr_zero(lanes))};
  return Turn::faulted;
}

// Upwards from behind the declared variables.
Warp::Steps Warp::move_stack(const warp::StackOp& op, const Step& step, LaneMask lanes) {
  const warp::Region stack = program_.memory.stack;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    std::uint64_t& end = stack_end_[lane];
    if (op.kind == warp::StackOp::Kind::save) {
      set_lane_value(file_, op.destination, lane, stack.base + end);
      continue;
    }
    const std::uint64_t value = lane_value(file_, op.source, lane);
    if (op.kind == warp::StackOp::Kind::restore) {
      end = std::min(value - stack.base, stack.bytes);
      continue;
    }
    const std::uint64_t begin = (end + op.alignment - 1) / op.alignment * op.alignment;
    if (begin > stack.bytes || value > stack.bytes - begin) {
      fault_ = {fmt::format("alloca of {} bytes, of which the stack has {} left", value,
                            stack.bytes - std::min(begin, stack.bytes)),
                fmt::format("a thread has {} bytes for alloca here", stack.bytes), step.line, number_, lane};
      return Turn::faulted;
    }
    set_lane_value(file_, op.destination, lane, stack.base + begin);
    end = begin + value;
  }
  return std::nullopt;
}

void Warp::count_entry(std::uint32_t loop, LaneMask lanes, Counts& counts) {
  if (loop == no_id || lanes == 0)
    return;
  repeated_.enter(loop);
  ++counts.loop_warps[loop];
  counts.loop_lanes[loop] += static_cast<std::uint64_t>(std::popcount(lanes));
}

Warp::Steps Warp::leave_block(Counts& counts) {
  const Terminator& t = program_.blocks[block_].terminator;
  in_block_ = false;
  if (record_)
    record_->visit(block_, entered_);
  switch (t.kind) {
  case Terminator::Kind::next:
    count_entry(state_.entries[block_].next, active_, counts);
    groups_.current().block = t.next;
    break;
  case Terminator::Kind::exit:
    groups_.exit(active_);
    break;
  case Terminator::Kind::branch:
    branch(t, counts);
    break;
  case Terminator::Kind::indirect:
    return branch_indirect(t, counts);
  }
  return std::nullopt;
}

void Warp::branch(const Terminator& t, Counts& counts) {
  const LaneMask truth = t.guard.pool == Pool::none
                             ? all_lanes
                             : file_.predicate(t.guard.index) ^ (t.guard_negated ? all_lanes : 0);
  const LaneMask taken = active_ & truth, next = active_ & ~truth;
  count_entry(state_.entries[block_].taken, taken, counts);
  count_entry(state_.entries[block_].next, next, counts);
  if (const auto target = warp::common_target(t, taken, next)) {
    groups_.current().block = *target;
    return;
  }
  // The taken side executes first. A side that is empty, its target being where the sides join, waits there.
  groups_.current().block = t.reconvergence;
  if (t.next != t.reconvergence)
    groups_.add_side({t.next, t.reconvergence, next});
  if (t.taken != t.reconvergence)
    groups_.add_side({t.taken, t.reconvergence, taken});
}

Warp::Steps Warp::branch_indirect(const Terminator& t, Counts& counts) {
  groups_.current().block = t.reconvergence;
  LaneMask left = active_;
  for (std::uint32_t i = 0; i < t.targets.size() && left != 0; ++i) {
    const LaneMask going = left & warp::lanes_going_to(t, i, file_);
    left &= ~going;
    count_entry(state_.entries[block_].targets[i], going, counts);
    if (going != 0 && t.targets[i] != t.reconvergence)
      groups_.add_side({t.targets[i], t.reconvergence, going});
  }
  if (left == 0)
    return std::nullopt;
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
  const warp::NoTarget none = warp::no_target(t, lane, file_);
  fault_ = {none.what, none.note, t.line, number_, lane};
  return Turn::faulted;
}

} // namespace kerncast::functional
