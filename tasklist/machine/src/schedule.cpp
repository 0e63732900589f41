// One straight piece of a block after the other.
#include "schedule.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "configs/isa.h"
#include "dependence_graph.h"
#include "list_scheduler.h"
#include "pressure.h"
#include "registers.h"
#include "tasklist/behaviour.h"
#include "tasklist/operation.h"
#include "tasklist/text_memo.h"

namespace kerncast::machine {
namespace {

using tasklist::Space;
using tasklist::TaskKind;
using tasklist::Tasklist;

constexpr std::string_view ordered_parts[] = {"acquire", "release", "acq_rel", "mmio"};
constexpr std::string_view unordered_opcodes[] = {"cp", "mbarrier", "multimem", "prefetch", "prefetchu"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// What the text of an operation says about its order.
struct OperationOrder {
  bool is_ordered_access = false;
  bool is_barrier = false;   // of a CTA or a warp, or as one: volatile accesses, readings of clocks
  bool is_read_only = false; // .nc
  bool is_surface = false;   // other than a texture, somebody may write it
  bool stays = false;        // no row of the tables below says what it does
  bool has_effect = false;
};

OperationOrder read_order(std::string_view operation) {
  OperationOrder order;
  const std::string_view opcode = operation.substr(0, operation.find('.'));
  bool is_of_cluster = false;
  order.is_surface = operation.starts_with("suld");
  order.stays = contains(unordered_opcodes, opcode);
  order.is_barrier = opcode == "bar" || opcode == "barrier";
  tasklist::for_each_part(operation, [&](std::string_view part) {
    is_of_cluster |= part == "cluster";
    order.is_ordered_access |= contains(ordered_parts, part);
    order.is_barrier |= part == "volatile" || part.starts_with("clock") || part == "globaltimer";
    order.is_read_only |= part == "nc";
  });
  order.is_barrier = order.is_barrier && !is_of_cluster && !order.is_ordered_access;
  return order;
}

OperationOrder order_of(std::string_view operation, bool has_effect) {
  thread_local tasklist::TextMemo<OperationOrder> memo;
  OperationOrder order = memo.of(operation, read_order);
  order.has_effect = has_effect;
  return order;
}

Mobility memory_mobility(const OperationOrder& order, TaskKind kind, Space space) {
  if (order.is_ordered_access)
    return Mobility::none;
  if (kind != TaskKind::load)
    return Mobility::memory_write;
  const bool is_read_only = order.is_read_only || space == Space::constant || space == Space::param ||
                            (space == Space::texture && !order.is_surface);
  return is_read_only ? Mobility::registers_only : Mobility::memory_read;
}

Mobility mobility_of(const tasklist::Task& task, const OperationOrder& order, const DraftOp& draft_op) {
  if (draft_op.extra)
    return Mobility::registers_only;
  if (draft_op.is_in_loop)
    return Mobility::none;
  const MachineOp& op = draft_op.op;
  if (order.is_barrier)
    return Mobility::barrier;
  if (order.stays)
    return Mobility::none;
  if (op.kind == OpKind::memory)
    return memory_mobility(order, task.kind, task.space);
  if (op.kind != OpKind::compute || op.task_kind == TaskKind::branch)
    return Mobility::none;
  if (op.task_kind == TaskKind::warp_sync)
    return Mobility::warp_wide;
  return task.kind == TaskKind::compute && order.has_effect ? Mobility::none : Mobility::registers_only;
}

// What a compiler may expect of a load: far away in global and local memory (ptxas 13.0 issues all sixteen
// loads of a tile before the first of the stores that wait for them), else a hit in the nearest memory of its
// kind. Nobody waits for a store.
double expected_latency(const MachineOp& op, const configs::Gpu& gpu) {
  if (op.kind != OpKind::memory || op.task_kind == TaskKind::store || op.task_kind == TaskKind::reduction)
    return op.latency;
  switch (op.space) {
  case Space::shared:
    return op.latency + gpu.shared.latency;
  case Space::constant:
  case Space::param:
    return op.latency + gpu.constant_latency;
  case Space::texture:
    return op.latency + gpu.texture_latency;
  case Space::none:
  case Space::global:
  case Space::local:
  case Space::generic:
    return op.latency + std::max(gpu.l1.latency, gpu.l2.latency);
  }
  return op.latency;
}

bool is_load_from_afar(const DraftOp& op) {
  const Space space = op.op.space;
  return is_load(op) && (space == Space::global || space == Space::generic);
}

// IMAD.MOV, where the architecture's compiler uses it.
const configs::MachineOpSpec* other_move(const configs::Gpu& gpu) {
  const configs::IsaRow* row = gpu.isa ? gpu.isa->find("mov.imad") : nullptr;
  return row != nullptr && row->machine.size() == 1 ? &row->machine.front() : nullptr;
}

class BlockScheduler {
public:
  BlockScheduler(Draft& draft, const Selection& selection, const configs::Gpu& gpu, const LiveRanges& ranges)
      : draft_(draft), gpu_(gpu), pressure_(draft, ranges), graphs_(draft, selection.list),
        scheduler_(gpu.warp_issue_distance, gpu.units.size(), other_move(gpu)),
        register_target_(register_target(gpu)) {
    const Tasklist& list = selection.list;
    std::vector<OperationOrder> orders;
    orders.reserve(list.operations.size());
    for (std::size_t i = 0; i < list.operations.size(); ++i)
      orders.push_back(order_of(list.operations[i], selection.traits[i].side_effect));
    mobility_.reserve(draft.ops.size());
    latencies_.reserve(draft.ops.size());
    for (const DraftOp& op : draft.ops) {
      const tasklist::Task& task = list.tasks[op.op.task];
      mobility_.push_back(mobility_of(task, orders[task.operation], op));
      latencies_.push_back(expected_latency(op.op, gpu));
    }
  }

  std::vector<std::uint32_t> run() {
    before_.resize(draft_.ops.size());
    std::iota(before_.begin(), before_.end(), 0);
    const std::size_t own_blocks = draft_.blocks.size() - draft_.trip_groups.size();
    for (const MachineBlock& block : std::span(draft_.blocks).first(own_blocks))
      order_block(block.first_op, block.first_op + block.op_count);
    for (const TripGroup& group : draft_.trip_groups)
      order_group(draft_.blocks[group.group], group.trips);
    return std::move(before_);
  }

private:
  // As many trips at a time as give the shortest order: where registers are few, what all trips could do
  // early would leave none for what they need then.
  void order_group(const MachineBlock& block, std::uint32_t trips) {
    const auto ops = std::span(draft_.ops).subspan(block.first_op, block.op_count);
    const auto before = std::span(before_).subspan(block.first_op, block.op_count);
    const std::vector<DraftOp> text(ops.begin(), ops.end());
    std::vector<DraftOp> best_ops;
    std::vector<std::uint32_t> best_before;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t at_a_time = trips; at_a_time > 0; at_a_time /= 2) {
      std::ranges::copy(text, ops.begin());
      std::iota(before.begin(), before.end(), block.first_op);
      const double cycles = order_trips(block, at_a_time, least);
      if (cycles >= least)
        continue;
      least = cycles;
      best_ops.assign(ops.begin(), ops.end());
      best_before.assign(before.begin(), before.end());
    }
    std::ranges::copy(best_ops, ops.begin());
    std::ranges::copy(best_before, before.begin());
  }

  // Stops where the order is no shorter than `least`.
  double order_trips(const MachineBlock& block, std::uint32_t at_a_time, double least) {
    double cycles = 0;
    std::uint32_t begin = block.first_op;
    const std::uint32_t end = block.first_op + block.op_count;
    while (begin < end && cycles < least) {
      std::uint32_t next = begin + 1;
      while (next < end && draft_.ops[next].trip / at_a_time == draft_.ops[begin].trip / at_a_time)
        ++next;
      cycles += order_block(begin, next);
      begin = next;
    }
    return cycles;
  }

  // Returns the cycles that it takes to issue, and so does order_piece.
  double order_block(std::uint32_t begin, std::uint32_t end) {
    double cycles = 0;
    for (std::uint32_t i = begin; i < end; ++i)
      if (mobility_[i] == Mobility::none) {
        cycles += order_piece(begin, i);
        begin = i + 1;
      }
    return cycles + order_piece(begin, end);
  }

  double order_piece(std::uint32_t begin, std::uint32_t end) {
    if (end - begin < 2)
      return 0;
    const auto mobility = std::span(mobility_).subspan(begin, end - begin);
    const auto latencies = std::span(latencies_).subspan(begin, end - begin);
    const DependenceGraph& graph = graphs_.build(begin, end, mobility, latencies);
    const auto operations = std::span(draft_.ops).subspan(begin, end - begin);
    pressure_.start(begin, end);
    const std::vector<std::uint32_t>& order =
        scheduler_.run(operations, graph, latencies, pressure_, target_of_piece(operations));
    text_.assign(operations.begin(), operations.end());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      before_[begin + i] = begin + order[i];
      operations[i] = text_[order[i]];
      operations[i].beside_previous = false; // its place behind the others is settled now
    }
    return scheduler_.cycles();
  }

  // A piece whose text needs more than the target may use all that its occupancy leaves. Of 0 to 8 registers
  // more than its text and a result take, three told best how many loads of a tile from global memory
  // ptxas 13.0 issues before the first store (280 kernels and targets, 4 to 24 loads beside 8 to 180 sums:
  // 0.8 loads off on average). Where nothing is loaded from there it takes none more. What needs more than a
  // thread may have is not held to that: ptxas finds orders of it that are not found here.
  std::int32_t target_of_piece(std::span<const DraftOp> piece) const {
    constexpr std::int32_t for_loads = 3;
    const bool loads = std::ranges::any_of(piece, is_load_from_afar);
    const auto needed =
        static_cast<std::uint32_t>(pressure_.peak_of_text() + most_results + (loads ? for_loads : 0));
    if (needed <= static_cast<std::uint32_t>(register_target_)) // what full occupancy leaves
      return register_target_;
    return std::max(register_target_, static_cast<std::int32_t>(registers_of_occupancy(needed, gpu_)));
  }

  Draft& draft_;
  const configs::Gpu& gpu_;
  PiecePressure pressure_;
  DependenceGraphBuilder graphs_;
  ListScheduler scheduler_;
  std::int32_t register_target_;
  std::vector<Mobility> mobility_; // of the text's order
  std::vector<double> latencies_;
  std::vector<DraftOp> text_;         // of the piece at hand, in the text's order
  std::vector<std::uint32_t> before_; // by operation in the new order: where it stood
};

} // namespace

std::vector<std::uint32_t> schedule(Draft& draft, const Selection& selection, const configs::Gpu& gpu,
                                    const LiveRanges& ranges) {
  return BlockScheduler(draft, selection, gpu, ranges).run();
}

} // namespace kerncast::machine
