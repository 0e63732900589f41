// Every task becomes its recipe's steps. The first group reads the task's operands, each further group the
// temporaries of the one before, the last group writes the results; of a memory task only the access does.
// A warp issues in order, so the first operation of a group waits for all of them: the others name nothing,
// and a result may be an operand, too, without the group's operations waiting for each other.
//
// A guarded task may leave its old result in place, so its first step also waits for that.
// A task whose row costs nothing becomes a free copy, or moves under a guard (a select is an instruction).
#include "emit.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>
#include <utility>

#include "tasklist/operation.h"

namespace kerncast::machine {
namespace {

using tasklist::Range;
using tasklist::Task;
using tasklist::TaskKind;
using tasklist::Tasklist;
using tasklist::ValueClass;

constexpr std::uint32_t held_at_once =
    3; // results of parallel steps (div.s32, ptxas 13.0: 14 registers in all)
constexpr std::uint32_t no_main = tasklist::no_id; // a recipe of which no step is the task's own operation

bool is_one_of(const std::vector<tasklist::TaskId>& tasks, std::uint32_t task) {
  return std::ranges::find(tasks, task) != tasks.end();
}

std::uint8_t register_width(ValueClass value_class) {
  constexpr std::array<std::uint8_t, 5> widths = {0, 1, 1, 2, 4}; // predicate, b16, b32, b64, b128
  return widths[static_cast<std::size_t>(value_class)];
}

OpKind op_kind(TaskKind kind) {
  switch (kind) {
  case TaskKind::load:
  case TaskKind::store:
  case TaskKind::atomic:
  case TaskKind::reduction:
    return OpKind::memory;
  case TaskKind::barrier:
    return OpKind::barrier;
  case TaskKind::fence:
    return OpKind::fence;
  case TaskKind::exit:
    return OpKind::exit;
  case TaskKind::compute:
  case TaskKind::warp_sync:
  case TaskKind::branch:
    return OpKind::compute;
  }
  return OpKind::compute;
}

class Emitter {
public:
  Emitter(const Selection& selection, const Extras& extras, const configs::Gpu& gpu, const RecipeBook& book)
      : selection_(selection), extras_(extras), list_(selection.list), gpu_(gpu), book_(book),
        has_begun_(selection.list.calls.size(), false) {}

  Draft run() {
    draft_.joined_blocks = selection_.joined_blocks();
    draft_.ops.reserve(list_.tasks.size() + list_.tasks.size() / 4);
    draft_.pool.reserve(list_.values.size() * 2);
    for (const ValueClass c : list_.value_classes)
      draft_.widths.push_back(register_width(c));
    reserve_held_constants();
    for (tasklist::BlockId b = 0; b < extras_.blocks.size(); ++b) { // groups of trips follow
      const tasklist::Block& block = list_.blocks[b];
      const auto first = static_cast<std::uint32_t>(draft_.ops.size());
      emit_extras(b);
      for (std::uint32_t i = block.first_task; i < block.first_task + block.task_count; ++i)
        if (!selection_.moved[i])
          emit_selected(i);
      emit_appended(b);
      draft_.blocks.push_back({first, static_cast<std::uint32_t>(draft_.ops.size()) - first});
    }
    for (const TripsTogether& together : selection_.trips_together)
      emit_group(together);
    return std::move(draft_);
  }

private:
  void reserve_held_constants() {
    first_held_ = draft_.register_count();
    for (std::uint32_t i = 0; i < extras_.constants.size(); ++i) {
      const HeldConstant& constant = extras_.constants[i];
      draft_.widths.push_back(constant.is_uniform ? 0 : constant.is_wide ? 2 : 1);
      held_by_task_.push_back(i);
    }
    std::ranges::stable_sort(held_by_task_, {}, [&](std::uint32_t i) { return extras_.constants[i].before; });
  }

  void emit_extras(tasklist::BlockId b) {
    if (list_.tasks.empty())
      return;
    const BlockExtras& extras = extras_.blocks[b];
    const std::uint32_t task =
        std::min(list_.blocks[b].first_task, static_cast<std::uint32_t>(list_.tasks.size()) - 1);
    if (b == 0) {
      emit_extra(task, book_.entry, {});
      if (extras_.accesses_memory)
        emit_extra(task, book_.entry_memory, {});
      if (extras_.accesses_shared)
        emit_extra(task, book_.entry_shared, {});
      if (extras_.accesses_matrices)
        emit_extra(task, book_.entry_matrix, {});
    }
    for (std::uint32_t i = 0; i < extras.convergences_ended; ++i)
      emit_extra(task, book_.converge_end, {});
    for (std::uint32_t i = 0; i < extras.convergences_begun; ++i)
      emit_extra(task, book_.converge_begin, {});
  }

  void emit_held_constants(std::uint32_t task) {
    for (; next_held_ < held_by_task_.size(); ++next_held_) {
      const std::uint32_t held = held_by_task_[next_held_];
      if (extras_.constants[held].before > task)
        return;
      emit_held_constant(held, task);
    }
  }

  void emit_held_constant(std::uint32_t held, std::uint32_t task) {
    const Range result{static_cast<std::uint32_t>(draft_.pool.size()), 1};
    draft_.pool.push_back(first_held_ + held);
    emit_extra(task, recipe_of(extras_.constants[held]), result);
  }

  const Recipe& recipe_of(const HeldConstant& constant) const {
    if (constant.is_uniform)
      return constant.is_wide ? book_.uniform64 : book_.uniform32;
    if (constant.is_loaded)
      return book_.constant_bank;
    return constant.is_wide ? book_.constant64 : book_.constant32;
  }

  void emit_extra(std::uint32_t task, const Recipe& recipe, Range result) {
    for (const Recipe::Step& step : recipe.steps) {
      DraftOp& op = add_op(task, step.spec, false);
      op.writes = result;
      op.extra = true;
    }
  }

  void emit_appended(tasklist::BlockId head) {
    auto joined = std::ranges::lower_bound(draft_.joined_blocks, head, {}, &JoinedBlock::head);
    const auto is_of_next = [&](tasklist::TaskId task) {
      return joined != draft_.joined_blocks.end() && joined->head == head &&
             list_.blocks[joined->block].first_task <= task;
    };
    for (const tasklist::TaskId task : selection_.appended[head]) {
      for (; is_of_next(task); ++joined)
        accesses_before_ = joined->accesses_before;
      emit_selected(task);
    }
    accesses_before_ = 0;
  }

  void emit_selected(std::uint32_t index) {
    emit_held_constants(index);
    if (selection_.absorbed[index])
      return;
    if (const std::uint32_t call = list_.tasks[index].call; call != tasklist::no_id && !has_begun_[call]) {
      has_begun_[call] = true;
      const std::size_t first = draft_.ops.size();
      emit_extra(index, book_.function_call, {});
      for (std::size_t i = first; i < draft_.ops.size(); ++i)
        draft_.ops[i].calls = true;
    }
    emit_task(index);
  }

  // Of a matrix at an address that steps by a constant once for all trips of a group.
  void emit_matrix_place(std::uint32_t index) {
    if (extras_.places_matrix.empty() || !extras_.places_matrix[index])
      return;
    const Task& task = list_.tasks[index];
    const auto uses = list_.uses(task);
    const bool steps = !uses.empty() && std::ranges::any_of(steps_, [&](const AddressStep& step) {
      return step.value == uses.front();
    });
    if (trip_ == 0 || !steps)
      emit_extra(index, task.space == tasklist::Space::shared ? book_.matrix_shared : book_.matrix_global,
                 {});
  }

  void emit_task(std::uint32_t index) {
    emit_matrix_place(index);
    const Task& task = list_.tasks[index];
    const Recipe& recipe = book_.recipes[task.operation];
    const double stated = list_.stated_latency.empty() ? 0 : list_.stated_latency[index];
    if (stated > 0)
      emit_stated(index, recipe, stated);
    else if (recipe.steps.empty())
      emit_free(index);
    else
      emit_sequence(index, recipe);
    if (list_.is_debug && !recipe.steps.empty())
      emit_result_moves(index);
  }

  // Without optimisation every result is moved to where the variable lies (ptxas 13.0 of PTX for a debugger).
  void emit_result_moves(std::uint32_t index) {
    for (const tasklist::ValueId d : list_.definitions(list_.tasks[index]))
      for (std::uint32_t i = 0; i < draft_.widths[d]; ++i)
        emit_extra(index, book_.register_move, {});
  }

  // Whether the results of before may be read after the task.
  bool keeps_old(std::uint32_t index) const {
    return list_.tasks[index].predicated && !selection_.writes_anew[index];
  }

  // A latency stated in the list stands for the whole sequence.
  void emit_stated(std::uint32_t index, const Recipe& recipe, double latency) {
    Recipe single;
    single.steps.push_back(recipe.steps.empty() ? book_.register_move.steps.back()
                                                : recipe.steps[recipe.main]);
    single.steps.back().group = 0;
    emit_sequence(index, single);
    draft_.ops.back().op.latency = latency;
  }

  // Several trips of a loop, in which a value of each trip has a register of its own; the last trip leaves
  // the values where a single one does.
  void emit_group(const TripsTogether& together) {
    const tasklist::Block& block = list_.blocks[together.block];
    assert(selection_.appended[together.block].empty() && "no pass moves anything into a loop of one block");
    const TripGroup group{together.block, static_cast<tasklist::BlockId>(draft_.blocks.size()),
                          together.trips, tasklist::accesses_of(list_, together.block)};
    const auto first = static_cast<std::uint32_t>(draft_.ops.size());
    steps_ = together.steps;
    emit_extras(together.block);
    emit_constants_held_in(block);
    start_renaming();
    for (std::uint32_t trip = 0; trip < together.trips; ++trip) {
      trip_ = static_cast<std::uint8_t>(trip);
      accesses_before_ = trip * group.accesses;
      is_last_trip_ = trip + 1 == together.trips;
      for (std::uint32_t i = block.first_task; i < block.first_task + block.task_count; ++i)
        if (!selection_.absorbed[i] && (is_last_trip_ || !is_one_of(together.once, i)))
          emit_task(i);
    }
    accesses_before_ = 0;
    trip_ = 0;
    steps_ = {};
    is_in_group_ = false;
    draft_.blocks.push_back({first, static_cast<std::uint32_t>(draft_.ops.size()) - first});
    draft_.trip_groups.push_back(group);
  }

  // The last trip of the group before has left every value where it was.
  void start_renaming() {
    is_in_group_ = true;
    if (!renamed_.empty())
      return;
    renamed_.resize(list_.value_classes.size());
    std::iota(renamed_.begin(), renamed_.end(), 0);
  }

  void emit_constants_held_in(const tasklist::Block& block) {
    for (std::uint32_t held = 0; held < extras_.constants.size(); ++held)
      if (const std::uint32_t before = extras_.constants[held].before;
          before >= block.first_task && before < block.first_task + block.task_count)
        emit_held_constant(held, before);
  }

  // Coalescing finds out how many moves of a copy stay; a guarded one needs all of them.
  void emit_free(std::uint32_t index) {
    const Task& task = list_.tasks[index];
    if (task.definitions.count == 0)
      return;
    const bool stays = keeps_old(index) || list_.is_debug;
    std::uint32_t moves = stays ? 0 : 1;
    if (stays)
      for (const tasklist::ValueId d : list_.definitions(task))
        moves += std::max<std::uint32_t>(draft_.widths[d], 1);
    moves_.steps.resize(moves, book_.register_move.steps.front());
    emit_sequence(index, moves_);
    draft_.ops.back().free_copy = !stays;
    const bool is_choice = keeps_old(index) && is_one_of_line(index);
    for (DraftOp& op : std::span(draft_.ops).last(moves)) {
      op.is_move = true;
      op.is_choice = is_choice;
    }
  }

  // One PTX line has several guarded moves where it accesses an array in registers.
  bool is_one_of_line(std::uint32_t index) const {
    const auto belongs = [&](std::uint32_t other) {
      return other < list_.tasks.size() && list_.tasks[other].line == list_.tasks[index].line &&
             list_.tasks[other].operation == list_.tasks[index].operation && keeps_old(other);
    };
    return list_.tasks[index].line != 0 && (belongs(index + 1) || (index > 0 && belongs(index - 1)));
  }

  void emit_sequence(std::uint32_t index, const Recipe& recipe) {
    const std::uint32_t last_group = recipe.group_count() - 1;
    const Range own_operands = operands(index);
    const bool is_elsewhere = rename_results(index);
    Range earlier; // results of the group before, in the pool
    std::uint32_t group_start = static_cast<std::uint32_t>(draft_.ops.size());
    for (std::uint32_t i = 0; i < recipe.steps.size(); ++i) {
      const std::uint32_t group = recipe.steps[i].group;
      const bool begins_group = i == 0 || group != recipe.steps[i - 1].group;
      if (i > 0 && begins_group) {
        earlier = results_since(group_start);
        group_start = static_cast<std::uint32_t>(draft_.ops.size());
      }
      DraftOp& op = add_step(index, recipe, i);
      if (group == last_group)
        take_results(op, index, recipe, i);
      op.beside_previous = !begins_group;
      if (begins_group)
        op.reads = group == 0 ? own_operands : earlier;
      op.guarded &= !is_elsewhere;
      if (group != last_group)
        op.writes = temporary(list_.tasks[index].kind,
                              static_cast<std::uint32_t>(draft_.ops.size()) - 1 - group_start);
    }
  }

  // In a group of trips: where the task leaves its results. Returns whether that is another register than the
  // one with the old result, which is then written whatever the task's guard says.
  bool rename_results(std::uint32_t index) {
    if (!is_in_group_)
      return false;
    bool is_elsewhere = false;
    for (const tasklist::ValueId d : list_.definitions(list_.tasks[index])) {
      const VirtualRegister old = std::exchange(renamed_[d], is_last_trip_ ? d : draft_.register_count());
      is_elsewhere |= renamed_[d] != old;
      if (!is_last_trip_)
        draft_.widths.push_back(draft_.widths[d]);
    }
    return is_elsewhere;
  }

  DraftOp& add_step(std::uint32_t index, const Recipe& recipe, std::uint32_t step) {
    const bool is_main = step == recipe.main;
    DraftOp& op = add_op(index, recipe.steps[step].spec, is_main);
    if (is_main) {
      op.loaded_ahead = selection_.loaded_ahead[index];
      op.scratch = static_cast<std::uint8_t>(recipe.registers);
    }
    op.is_in_loop = recipe.loop != configs::SwapLoop::none;
    if (is_main) {
      op.op.trip_cycles = trip_cycles(index, recipe);
      op.op.turns = recipe.turns;
    }
    return op;
  }

  // Of a loop in shared memory that lanes at one address leave one after the other.
  double trip_cycles(std::uint32_t index, const Recipe& recipe) const {
    const bool takes_trips = recipe.loop == configs::SwapLoop::lanes && !selection_.one_lane[index] &&
                             list_.tasks[index].space == tasklist::Space::shared;
    return takes_trips ? total_latency(recipe) + gpu_.shared.latency : 0;
  }

  // One of the last group gets the task's results.
  void take_results(DraftOp& op, std::uint32_t index, const Recipe& recipe, std::uint32_t step) {
    const Task& task = list_.tasks[index];
    const bool is_memory = recipe.main != no_main && op_kind(task.kind) == OpKind::memory;
    op.guarded = keeps_old(index);
    if (step == recipe.main || !is_memory)
      op.writes = append(list_.definitions(task));
  }

  // Behind the others.
  DraftOp& add_op(std::uint32_t index, const configs::MachineOpSpec& spec, bool is_main) {
    const Task& task = list_.tasks[index];
    DraftOp& draft = draft_.ops.emplace_back();
    draft.trip = trip_;
    MachineOp& op = draft.op;
    op.latency = spec.latency;
    op.issue_interval = spec.issue_interval;
    op.unit = static_cast<std::uint16_t>(spec.unit);
    op.counted_as = spec.counted_as;
    op.task = index;
    if (!is_main)
      return draft;
    op.kind = op_kind(task.kind);
    op.task_kind = task.kind;
    if (op.kind != OpKind::memory)
      return draft;
    // A row that does not state a latency has its unit's; the memory model knows better.
    if (spec.latency == gpu_.units[spec.unit].latency)
      op.latency = 0;
    op.space = task.space;
    op.is_one_lane = selection_.one_lane[index];
    op.access_bytes = task.access_bytes;
    op.access = static_cast<std::uint16_t>(task.access + accesses_before_);
    if (!has_address_register(task))
      return draft;
    const auto step = std::ranges::find(steps_, list_.uses(task).front(), &AddressStep::value);
    if (step != steps_.end()) {
      draft.moved_bytes = trip_ * step->bytes;
      draft.knows_moved = true;
    }
    return draft;
  }

  // For certain: the first of its uses, if the others are all that is stored. A variable's name needs none.
  bool has_address_register(const Task& task) const {
    if (task.uses.count == 0 || task.kind == TaskKind::load)
      return task.uses.count > 0;
    std::uint32_t stored = 0;
    for (const tasklist::ValueId v : list_.uses(task).subspan(1))
      stored += draft_.widths[v] * bytes_per_register;
    return stored == task.access_bytes;
  }

  Range operands(std::uint32_t index) {
    const Task& task = list_.tasks[index];
    Range range = append(list_.uses(task));
    if (keeps_old(index))
      range.count += append(list_.definitions(task)).count;
    const Range held = extras_.reads[index];
    for (const std::uint32_t constant : std::span(extras_.read_pool).subspan(held.begin, held.count))
      draft_.pool.push_back(first_held_ + constant);
    range.count += held.count;
    return range;
  }

  Range results_since(std::uint32_t first_op) {
    const Range range{static_cast<std::uint32_t>(draft_.pool.size()), 0};
    for (std::size_t i = first_op; i < draft_.ops.size(); ++i)
      draft_.pool.push_back(draft_.pool[draft_.ops[i].writes.begin]);
    return {range.begin, static_cast<std::uint32_t>(draft_.pool.size()) - range.begin};
  }

  // Parallel steps follow one another in some order: the results of a few lie in registers at once.
  // Of a fence they are no values.
  Range temporary(TaskKind kind, std::uint32_t earlier_of_group) {
    draft_.widths.push_back(earlier_of_group < held_at_once && kind != TaskKind::fence ? 1 : 0);
    draft_.pool.push_back(draft_.register_count() - 1);
    return {static_cast<std::uint32_t>(draft_.pool.size()) - 1, 1};
  }

  Range append(std::span<const tasklist::ValueId> values) {
    const auto begin = static_cast<std::uint32_t>(draft_.pool.size());
    for (const tasklist::ValueId v : values) // few
      draft_.pool.push_back(is_in_group_ ? renamed_[v] : v);
    return {begin, static_cast<std::uint32_t>(values.size())};
  }

  const Selection& selection_;
  const Extras& extras_;
  const Tasklist& list_;
  const configs::Gpu& gpu_;
  const RecipeBook& book_;
  VirtualRegister first_held_ = 0;          // of Extras::constants
  std::vector<std::uint32_t> held_by_task_; // indices into Extras::constants
  std::size_t next_held_ = 0;
  std::vector<bool> has_begun_;       // by call
  std::uint32_t accesses_before_ = 0; // in a group of trips or of a joined block: of those before
  Recipe moves_ = {.steps = {}, .registers = 0, .main = no_main}; // of the copy at hand
  // In a group of trips:
  bool is_in_group_ = false;
  bool is_last_trip_ = true;
  std::uint8_t trip_ = 0;
  std::span<const AddressStep> steps_;
  std::vector<VirtualRegister> renamed_; // by value: the trip's register
  Draft draft_;
};

} // namespace

Draft emit(const Selection& selection, const Extras& extras, const configs::Gpu& gpu,
           const RecipeBook& book) {
  return Emitter(selection, extras, gpu, book).run();
}

} // namespace kerncast::machine
