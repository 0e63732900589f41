// Accesses to one state space may be to the same place, but for those whose addresses differ by a known
// number of bytes. Global, shared and local memory and surfaces are apart; a generic address may be in any of
// the first three.
#include "dependence_graph.h"

namespace kerncast::machine {
namespace {

using tasklist::no_id;
using tasklist::Space;

// Behind so many accesses a write counts as one to who knows where, so that cost grows with the piece's size.
constexpr std::size_t most_compared = 256;

constexpr Space spaces[] = {Space::global, Space::shared, Space::local, Space::texture};
constexpr std::size_t local_memory = 2; // which no other warp sees

bool may_be_in(Space space, std::size_t kind) {
  const bool is_any = space == Space::generic || space == Space::none;
  return space == spaces[kind] || (is_any && spaces[kind] != Space::texture);
}

} // namespace

DependenceGraphBuilder::DependenceGraphBuilder(const Draft& draft, const tasklist::Tasklist& list)
    : draft_(draft), list_(list), registers_(draft.register_count()) {
  arcs_.reserve(draft.pool.size());
  reads_.reserve(draft.pool.size());
}

DependenceGraphBuilder::Access& DependenceGraphBuilder::current(Access& access) const {
  if (access.piece != piece_) {
    access.piece = piece_;
    access.last_write = no_id;
    access.last_read = no_id;
  }
  return access;
}

void DependenceGraphBuilder::read(Access& access, std::uint32_t op, std::span<const double> latencies) {
  current(access);
  if (access.last_write != no_id)
    arcs_.push_back({access.last_write, op, latencies[access.last_write]});
  reads_.push_back({op, access.last_read});
  access.last_read = static_cast<std::uint32_t>(reads_.size()) - 1;
}

void DependenceGraphBuilder::write(Access& access, std::uint32_t op) {
  current(access);
  if (access.last_write == op) // an operation may name a result twice
    return;
  if (access.last_write != no_id)
    arcs_.push_back({access.last_write, op, 0});
  for (std::uint32_t i = access.last_read; i != no_id; i = reads_[i].before)
    if (reads_[i].op != op)
      arcs_.push_back({reads_[i].op, op, 0});
  access.last_write = op;
  access.last_read = no_id;
}

void DependenceGraphBuilder::add_register_arcs(std::uint32_t begin, std::uint32_t op,
                                               std::span<const double> latencies) {
  const DraftOp& draft_op = draft_.ops[begin + op];
  for (const VirtualRegister r : draft_.reads(draft_op))
    read(registers_[r], op, latencies);
  for (const VirtualRegister r : draft_.writes(draft_op))
    write(registers_[r], op);
  if (draft_op.beside_previous && op > 0)
    arcs_.push_back({op - 1, op, 0});
}

void DependenceGraphBuilder::read(Memory& memory, const MemoryAccess& access) {
  for (const MemoryAccess& before : memory.writes)
    if (access.may_meet(before))
      arcs_.push_back({before.op, access.op, 0});
  memory.reads.push_back(access);
}

void DependenceGraphBuilder::write(Memory& memory, MemoryAccess access) {
  if (memory.size() >= most_compared)
    access.base = no_id;
  for (const MemoryAccess& before : memory.reads)
    if (access.may_meet(before))
      arcs_.push_back({before.op, access.op, 0});
  for (const MemoryAccess& before : memory.writes)
    if (access.may_meet(before))
      arcs_.push_back({before.op, access.op, 0});
  if (access.base == no_id) { // whatever follows and may meet those before it may meet this one, too
    memory.reads.clear();
    memory.writes.clear();
  }
  memory.writes.push_back(access);
}

void DependenceGraphBuilder::add_memory_arcs(const DraftOp& draft_op, std::uint32_t op, Mobility mobility) {
  if (mobility == Mobility::warp_wide || mobility == Mobility::barrier)
    write(warp_, op);
  const bool is_access = draft_op.op.kind == OpKind::memory;
  for (std::size_t kind = 0; mobility == Mobility::barrier && kind < memories_.size(); ++kind)
    if (kind != local_memory || (is_access && may_be_in(draft_op.op.space, kind)))
      write(memories_[kind], {.op = op});
  if (mobility == Mobility::memory_read || mobility == Mobility::memory_write)
    add_access(draft_op, op, mobility);
}

void DependenceGraphBuilder::add_access(const DraftOp& draft_op, std::uint32_t op, Mobility mobility) {
  const tasklist::Task& task = list_.tasks[draft_op.op.task];
  const std::int64_t begin = task.offset + draft_op.moved_bytes;
  const MemoryAccess access{op, task.base, begin, begin + task.access_bytes,
                            draft_op.knows_moved ? std::uint8_t{0} : draft_op.trip};
  for (std::size_t kind = 0; kind < memories_.size(); ++kind) {
    if (!may_be_in(draft_op.op.space, kind))
      continue;
    if (mobility == Mobility::memory_read)
      read(memories_[kind], access);
    else
      write(memories_[kind], access);
  }
}

void DependenceGraphBuilder::index_arcs(std::uint32_t ops) {
  graph_.first.assign(ops + 1, 0);
  graph_.predecessors.assign(ops, 0);
  graph_.edges.resize(arcs_.size());
  for (const Arc& arc : arcs_) {
    ++graph_.first[arc.from];
    ++graph_.predecessors[arc.to];
  }
  std::uint32_t end = 0; // filling backward turns each end into its begin
  for (std::uint32_t& first : graph_.first)
    first = end += first;
  for (const Arc& arc : arcs_)
    graph_.edges[--graph_.first[arc.from]] = {arc.to, arc.latency};
}

const DependenceGraph& DependenceGraphBuilder::build(std::uint32_t begin, std::uint32_t end,
                                                     std::span<const Mobility> mobility,
                                                     std::span<const double> latencies) {
  ++piece_;
  arcs_.clear();
  reads_.clear();
  for (Memory& memory : memories_) {
    memory.reads.clear();
    memory.writes.clear();
  }
  for (std::uint32_t op = 0; op < end - begin; ++op) {
    add_register_arcs(begin, op, latencies);
    add_memory_arcs(draft_.ops[begin + op], op, mobility[op]);
  }
  index_arcs(end - begin);
  return graph_;
}

} // namespace kerncast::machine
