#include "code_order.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "tasklist/operation.h"

namespace kerncast::hit_rates {
namespace {

using machine::MachineOp;
using machine::MachineProgram;
using machine::OpKind;
using tasklist::BlockId;
using tasklist::Range;
using tasklist::Space;
using tasklist::Tasklist;

bool is_in(Space space, std::span<const Space> spaces) {
  return std::ranges::find(spaces, space) != spaces.end();
}

// Shared memory and parameters are not.
bool is_traced(const MachineOp& op) {
  using enum Space;
  constexpr std::array traced{global, local, generic, texture, constant};
  return op.kind == OpKind::memory && is_in(op.space, traced);
}

// What constants and parameters answer is there soon.
bool loads_slowly(const MachineOp& op) {
  using enum Space;
  constexpr std::array slow{global, local, generic, texture, shared};
  return op.kind == OpKind::memory && is_in(op.space, slow) && machine::returns_data(op);
}

// By slot: whether some operation loads it.
std::vector<bool> loaded_slots(const MachineProgram& program) {
  std::vector<bool> is_loaded(program.slot_count, false);
  for (const MachineOp& op : program.ops)
    if (loads_slowly(op))
      for (const std::uint16_t slot : program.destinations(op))
        is_loaded[slot] = true;
  return is_loaded;
}

} // namespace

CodeOrder::CodeOrder(const Tasklist& list, const MachineProgram& program)
    : list_(list), block_of_(list.tasks.size()), access_of_(list.tasks.size()),
      pieces_(program.blocks.size()), groups_(list.blocks.size(), tasklist::no_id) {
  for (BlockId b = 0; b < list.blocks.size(); ++b) {
    pieces_[b].block = b;
    pieces_[b].accesses = tasklist::accesses_of(list, b);
    note_tasks(b, b, 0);
  }
  for (const machine::JoinedBlock& joined : program.joined_blocks) {
    pieces_[joined.head].accesses += joined.accesses;
    note_tasks(joined.block, joined.head, joined.accesses_before);
  }
  for (const machine::TripGroup& group : program.trip_groups) {
    groups_[group.trip] = group.group;
    CodePiece& piece = pieces_[group.group];
    piece.block = group.trip;
    piece.trips = group.trips;
    piece.accesses = group.accesses;
  }
  const std::vector<bool> is_loaded = loaded_slots(program);
  for (BlockId b = 0; b < pieces_.size(); ++b)
    fill(pieces_[b], b, program, is_loaded);
}

void CodeOrder::note_tasks(BlockId block, BlockId head, std::uint32_t accesses_before) {
  const tasklist::Block& own = list_.blocks[block];
  for (tasklist::TaskId task = own.first_task; task < own.first_task + own.task_count; ++task) {
    block_of_[task] = head;
    access_of_[task] = accesses_before + list_.tasks[task].access;
  }
}

void CodeOrder::fill(CodePiece& piece, BlockId block, const MachineProgram& program,
                     const std::vector<bool>& is_loaded) {
  const machine::MachineBlock& code = program.blocks[block];
  piece.begin = code.first_op;
  piece.places.assign(std::size_t{piece.trips} * piece.accesses, nowhere);
  for (Position at = code.first_op; at < code.first_op + code.op_count; ++at) {
    const MachineOp& op = program.ops[at];
    const CodeEvent event = event_of(op, at, program, is_loaded);
    if (event.is_access || event.waits_for_all || event.needed.count + event.loaded.count > 0)
      piece.events.push_back(event);
    if (!event.is_access || op.is_spill)
      continue;
    const std::uint32_t trip = piece.trips > 1 ? op.access / piece.accesses : 0;
    Position& place = piece.places[std::size_t{trip} * piece.accesses + access_of_[op.task]];
    place = std::min(place, at);
  }
}

CodeEvent CodeOrder::event_of(const MachineOp& op, Position at, const MachineProgram& program,
                              const std::vector<bool>& is_loaded) {
  CodeEvent event{.at = at, .is_access = is_traced(op), .is_spill = op.is_spill};
  event.waits_for_all = op.kind == OpKind::fence;
  const auto put = [&](std::span<const std::uint16_t> slots) {
    std::ranges::copy_if(slots, std::back_inserter(slots_),
                         [&](std::uint16_t slot) { return is_loaded[slot]; });
  };
  const auto range_since = [this](std::size_t begin) {
    return Range{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(slots_.size() - begin)};
  };
  std::size_t begin = slots_.size();
  put(program.sources(op));
  put(program.destinations(op)); // an overwritten register is waited for as well
  event.needed = range_since(begin);
  begin = slots_.size();
  if (loads_slowly(op))
    put(program.destinations(op));
  event.loaded = range_since(begin);
  return event;
}

const std::vector<BlockId>& CodeOrder::way(BlockId from, BlockId to) {
  const auto [known, is_new] = ways_.try_emplace({from, to});
  if (is_new)
    known->second = find_way(from, to);
  return known->second;
}

// Nothing where there is none.
std::vector<BlockId> CodeOrder::find_way(BlockId from, BlockId to) const {
  std::vector<BlockId> before(list_.blocks.size(), tasklist::no_id); // the one it was reached from, or itself
  std::vector<BlockId> reached;
  const auto reach = [&](BlockId block, BlockId by) {
    if (before[block] != tasklist::no_id)
      return;
    before[block] = by == tasklist::no_id ? block : by;
    reached.push_back(block);
  };
  if (from == tasklist::no_id)
    reach(0, tasklist::no_id);
  else
    for (const BlockId next : list_.blocks[from].successors)
      reach(next, tasklist::no_id);
  for (std::size_t i = 0; i < reached.size() && before[to] == tasklist::no_id; ++i)
    for (const BlockId next : list_.blocks[reached[i]].successors)
      reach(next, reached[i]);
  std::vector<BlockId> way;
  for (BlockId b = to; before[b] != tasklist::no_id && before[b] != b; b = before[b])
    way.push_back(before[b]);
  std::ranges::reverse(way);
  return way;
}

} // namespace kerncast::hit_rates
