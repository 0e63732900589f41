#include "rewrite/complete_loops.h"

#include <algorithm>
#include <array>
#include <optional>

#include "tasklist/counted_loops.h"
#include "tasklist/loop_tasks.h"
#include "tasklist/operation.h"
#include "tasklist/unrolling.h"

namespace kerncast::lowering {

namespace {

using tasklist::BlockId;
using tasklist::CountedLoop;
using tasklist::Task;
using tasklist::TaskKind;
using tasklist::ValueId;

constexpr std::uint64_t most_trips = 1000;  // more were never tried
constexpr std::uint32_t counting_tasks = 3; // step, comparison, branch

// Operations that are expanded before loops are unrolled weigh what they become.
struct LongOperation {
  std::string_view prefix;
  std::uint32_t weight = 1;
};
constexpr std::array long_operations = {LongOperation{"div.s", 18}, LongOperation{"div.u", 16},
                                        LongOperation{"rem.s", 18}, LongOperation{"rem.u", 16}};

class LoopFinder {
public:
  LoopFinder(const ptx::Function& function, const tasklist::Tasklist& list, const tasklist::ControlFlow& flow,
             std::uint32_t target, std::span<const std::uint32_t> trips)
      : function_(function), list_(list), flow_(flow), target_(target), trips_(trips) {}

  std::optional<CompleteLoop> complete(const CountedLoop& loop) const {
    const tasklist::Loop& blocks = list_.loops[loop.loop];
    if (!loop.trips || *loop.trips > most_trips || !is_one_stretch(loop, blocks) ||
        !counts_as_written(loop)) {
      return std::nullopt;
    }
    auto body = body_of(blocks);
    if (!body) {
      return std::nullopt;
    }
    CompleteLoop result;
    result.first = list_.blocks[blocks.header].first_instruction;
    result.last = list_.tasks[loop.branch].instruction;
    body->trips = *loop.trips;
    body->inner_trips = static_cast<std::uint64_t>(std::ranges::upper_bound(trips_, result.last) -
                                                   std::ranges::lower_bound(trips_, result.first));
    if (!tasklist::is_unrolled_completely(blocks, *body, target_)) {
      return std::nullopt;
    }
    result.trips = static_cast<std::uint32_t>(*loop.trips);
    result.has_other_exits = loop.has_other_exits;
    for (const BlockId b : blocks.blocks) {
      const bool always = flow_.dominators.dominates(b, blocks.blocks.back());
      result.executes_always.insert(result.executes_always.end(), list_.blocks[b].instruction_count, always);
      result.blocks.insert(result.blocks.end(), list_.blocks[b].instruction_count, b);
    }
    if (blocks.parent != tasklist::no_id) {
      result.comes_again = true;
      result.before = before(blocks);
    }
    return result;
  }

private:
  // What every trip of the loop around executes in front of this one, nearest first, up to a limit.
  std::vector<InstructionRange> before(const tasklist::Loop& loop) const {
    constexpr std::uint32_t most = 512; // instructions
    std::vector<InstructionRange> ranges;
    std::uint32_t instructions = 0;
    const std::vector<BlockId>& around = list_.loops[loop.parent].blocks;
    BlockId at = loop.header;
    while (at != list_.loops[loop.parent].header && instructions < most) {
      at = flow_.immediate_dominators[at];
      if (!std::ranges::binary_search(around, at)) {
        break;
      }
      const tasklist::Block& block = list_.blocks[at];
      ranges.push_back({block.first_instruction, block.instruction_count});
      instructions += block.instruction_count;
    }
    return ranges;
  }

  // The header first, the way back last, nothing else in between.
  bool is_one_stretch(const CountedLoop& loop, const tasklist::Loop& blocks) const {
    const BlockId latch = blocks.blocks.back();
    const tasklist::Block& last = list_.blocks[latch];
    return blocks.blocks.front() == blocks.header && latch - blocks.header + 1 == blocks.blocks.size() &&
           loop.branch + 1 == last.first_task + last.task_count && loop.step >= last.first_task &&
           loop.step < loop.comparison && loop.comparison < loop.branch &&
           list_.tasks[loop.branch].instruction + 1 == last.first_instruction + last.instruction_count;
  }

  // The counter is compared on the left, and the branch goes back where the comparison holds.
  bool counts_as_written(const CountedLoop& loop) const {
    const ptx::Instruction& branch = function_.instructions[list_.tasks[loop.branch].instruction];
    const auto target = function_.operands(branch);
    const auto step = function_.operands(function_.instructions[list_.tasks[loop.step].instruction]);
    const auto compared =
        function_.operands(function_.instructions[list_.tasks[loop.comparison].instruction]);
    const std::uint32_t first = list_.blocks[list_.loops[loop.loop].header].first_instruction;
    return branch.opcode == ptx::Opcode::bra && !branch.guard_negated && target.size() == 1 &&
           target[0].kind == ptx::OperandKind::label && function_.labels[target[0].id].instruction == first &&
           step.size() == 3 && step[1].kind == ptx::OperandKind::reg && compared.size() == 3 &&
           compared[0].kind == ptx::OperandKind::reg && compared[0].id == branch.guard &&
           compared[1].kind == ptx::OperandKind::reg && compared[1].id == step[0].id;
  }

  // Of a loop that can be copied.
  std::optional<tasklist::UnrolledBody> body_of(const tasklist::Loop& loop) const {
    tasklist::UnrolledBody body;
    const std::vector<ValueId> addresses = addresses_in(loop);
    for (const BlockId b : loop.blocks) {
      if (list_.blocks[b].no_unroll) {
        return std::nullopt;
      }
      for (const Task& task : list_.tasks_of(list_.blocks[b])) {
        if (!can_be_copied(task, loop, b)) {
          return std::nullopt;
        }
        body.weight += weight_of(task, addresses);
        body.shared_accesses +=
            tasklist::is_memory(task.kind) && task.space == tasklist::Space::shared ? 1 : 0;
      }
    }
    if (body.weight <= counting_tasks) {
      return std::nullopt;
    }
    body.weight -= counting_tasks;
    return body;
  }

  // Of 64 bits, in ascending order.
  std::vector<ValueId> addresses_in(const tasklist::Loop& loop) const {
    std::vector<ValueId> addresses;
    tasklist::for_each_task(list_, loop, [&](const Task& task) {
      const auto uses = list_.uses(task);
      if (tasklist::is_memory(task.kind) && !uses.empty() &&
          list_.value_classes[uses.front()] == tasklist::ValueClass::b64) {
        addresses.push_back(uses.front());
      }
    });
    std::ranges::sort(addresses);
    return addresses;
  }

  // Anew in each trip, not stepping what it was.
  bool computes_one_of(std::span<const ValueId> addresses, const Task& task) const {
    if (task.kind != TaskKind::compute || task.predicated || task.definitions.count != 1) {
      return false;
    }
    const ValueId result = list_.definitions(task).front();
    return std::ranges::binary_search(addresses, result) &&
           std::ranges::find(list_.uses(task), result) == list_.uses(task).end();
  }

  // Not a barrier under a condition either.
  bool can_be_copied(const Task& task, const tasklist::Loop& loop, BlockId block) const {
    return tasklist::allows_unrolling(task, list_.operations[task.operation], target_) &&
           (task.kind != TaskKind::barrier || flow_.dominators.dominates(block, loop.blocks.back()));
  }

  std::uint32_t weight_of(const Task& task, std::span<const ValueId> addresses) const {
    if (computes_one_of(addresses, task)) {
      return 0;
    }
    const std::string_view operation = list_.operations[task.operation];
    if (const auto matrices = tasklist::weight_of_matrices(task, operation, target_);
        matrices.completely != 0) {
      return matrices.completely;
    }
    const bool weighs_two = (tasklist::is_memory(task.kind) && task.space != tasklist::Space::constant) ||
                            task.kind == TaskKind::barrier;
    const auto* found = std::ranges::find_if(
        long_operations, [&](const LongOperation& known) { return operation.starts_with(known.prefix); });
    const std::uint32_t weight = weighs_two ? 2 : found == long_operations.end() ? 1 : found->weight;
    return weight + (task.predicated && task.kind != TaskKind::branch ? 1 : 0); // a branch of its own
  }

  const ptx::Function& function_;
  const tasklist::Tasklist& list_;
  const tasklist::ControlFlow& flow_;
  std::uint32_t target_;
  std::span<const std::uint32_t> trips_; // where those of unrolled loops begin
};

} // namespace

std::vector<CompleteLoop> find_complete_loops(const ptx::Function& function, const tasklist::Tasklist& list,
                                              const tasklist::ControlFlow& flow, std::uint32_t target,
                                              std::span<const std::uint32_t> trips) {
  std::vector<CompleteLoop> found;
  const LoopFinder finder(function, list, flow, target, trips);
  for (const CountedLoop& counted : tasklist::find_counted_loops(list, flow)) {
    if (auto loop = finder.complete(counted)) {
      found.push_back(std::move(*loop));
    }
  }
  std::ranges::sort(found, {}, &CompleteLoop::first);
  return found;
}

} // namespace kerncast::lowering
