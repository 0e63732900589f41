// What a warp may wait for at the start of a block is what it may have loaded in any block in front of it.
#include "code_order.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kerncast::hit_rates {
namespace {

using machine::MachineOp;
using machine::MachineProgram;
using tasklist::BlockId;
using tasklist::Tasklist;

// Times that all blocks are gone through: what a loop's trip leaves, the next one finds.
constexpr int rounds = 2;

// Of a warp between two operations.
struct State {
  std::vector<std::uint16_t> loaded; // slots with data that it did not wait for, ascending
  bool waited = false;               // since its last access

  void add(std::uint16_t slot) {
    const auto place = std::ranges::lower_bound(loaded, slot);
    if (place == loaded.end() || *place != slot)
      loaded.insert(place, slot);
  }
  void add(const State& other) {
    for (const std::uint16_t slot : other.loaded)
      add(slot);
    waited = waited || other.waited;
  }
  bool has_any(std::span<const std::uint16_t> slots) const {
    return std::ranges::any_of(
        slots, [this](std::uint16_t slot) { return std::ranges::binary_search(loaded, slot); });
  }
};

bool returns_data(const MachineOp& op) {
  return op.task_kind == tasklist::TaskKind::load || op.task_kind == tasklist::TaskKind::atomic;
}

class WaitFinder {
public:
  WaitFinder(const Tasklist& list, const MachineProgram& program)
      : program_(program), successors_(program.blocks.size()), at_begin_(program.blocks.size()),
        waits_(program.ops.size(), false) {
    for (BlockId b = 0; b < list.blocks.size(); ++b)
      successors_[b] = list.blocks[b].successors;
    std::vector<BlockId> groups(list.blocks.size(), tasklist::no_id);
    for (const machine::TripGroup& group : program.trip_groups)
      groups[group.trip] = group.group;
    for (BlockId b = 0; b < list.blocks.size(); ++b)
      for (const BlockId next : list.blocks[b].successors)
        if (groups[next] != tasklist::no_id)
          successors_[b].push_back(groups[next]);
    for (const machine::TripGroup& group : program.trip_groups)
      successors_[group.group] = successors_[group.trip];
  }

  // By operation: an access that a warp waits in front of.
  std::vector<bool> run() && {
    for (int round = 0; round < rounds; ++round)
      for (BlockId b = 0; b < program_.blocks.size(); ++b)
        pass_on(b, walk(program_.blocks[b], at_begin_[b]));
    return std::move(waits_);
  }

private:
  State walk(const machine::MachineBlock& block, State state) {
    for (std::uint32_t i = block.first_op; i < block.first_op + block.op_count; ++i)
      step(i, state);
    return state;
  }

  // Whoever waits for one load has waited for those beside it.
  void step(std::uint32_t i, State& state) {
    const MachineOp& op = program_.ops[i];
    if (op.kind == machine::OpKind::fence || state.has_any(program_.sources(op)) ||
        state.has_any(program_.destinations(op))) {
      state.loaded.clear();
      state.waited = true;
    }
    state.waited = state.waited || op.kind == machine::OpKind::barrier;
    if (!is_traced(op))
      return;
    waits_[i] = std::exchange(state.waited, false);
    if (returns_data(op))
      for (const std::uint16_t slot : program_.destinations(op))
        state.add(slot);
  }

  void pass_on(BlockId block, const State& at_end) {
    for (const BlockId next : successors_[block])
      at_begin_[next].add(at_end);
  }

  const MachineProgram& program_;
  std::vector<std::vector<BlockId>> successors_; // by block of the program, and of these
  std::vector<State> at_begin_;                  // by block of the program
  std::vector<bool> waits_;
};

// Of an operation among the accesses of its piece.
std::size_t number_of(const MachineOp& op, const tasklist::Task& task, const CodePiece& piece) {
  const std::uint32_t trip = piece.trips > 1 ? op.access / piece.accesses : 0;
  return std::size_t{trip} * piece.accesses + task.access;
}

std::uint32_t accesses_of(const Tasklist& list, BlockId block) {
  std::uint32_t accesses = 0;
  for (const tasklist::Task& task : list.tasks_of(list.blocks[block]))
    if (task.access != UINT16_MAX)
      accesses = std::max(accesses, task.access + 1U);
  return accesses;
}

} // namespace

bool is_traced(const MachineOp& op) {
  using enum tasklist::Space;
  constexpr std::array traced{global, local, generic, texture};
  return op.kind == machine::OpKind::memory && std::ranges::find(traced, op.space) != traced.end();
}

CodeOrder::CodeOrder(const Tasklist& list, const MachineProgram& program)
    : pieces_(program.blocks.size()), groups_(list.blocks.size(), tasklist::no_id) {
  for (BlockId b = 0; b < list.blocks.size(); ++b)
    pieces_[b].accesses = accesses_of(list, b);
  for (const machine::TripGroup& group : program.trip_groups) {
    groups_[group.trip] = group.group;
    pieces_[group.group].trips = group.trips;
    pieces_[group.group].accesses = group.accesses;
  }
  const std::vector<bool> waits = WaitFinder(list, program).run();
  std::uint32_t so_far = 0;
  for (BlockId b = 0; b < pieces_.size(); ++b) {
    CodePiece& piece = pieces_[b];
    piece.places.resize(std::size_t{piece.trips} * piece.accesses);
    piece.waits_at_begin = so_far;
    const machine::MachineBlock& block = program.blocks[b];
    for (Position at = block.first_op; at < block.first_op + block.op_count; ++at) {
      const MachineOp& op = program.ops[at];
      so_far += waits[at] ? 1 : 0;
      if (op.is_spill && b < list.blocks.size())
        spills_.push_back({b, {at, so_far}});
      if (!is_traced(op) || op.is_spill)
        continue;
      CodePlace& place = piece.places[number_of(op, list.tasks[op.task], piece)];
      if (place.at == nowhere)
        place = {at, so_far};
    }
    piece.waits_at_end = so_far;
  }
}

} // namespace kerncast::hit_rates
