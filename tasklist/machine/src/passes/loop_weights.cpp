#include "passes/loop_weights.h"

#include <algorithm>
#include <iterator>

#include "passes/address_operand.h"
#include "tasklist/loop_tasks.h"
#include "tasklist/operation.h"
#include "tasklist/unrolling.h"

namespace kerncast::machine {
namespace {

using tasklist::BlockId;
using tasklist::Space;
using tasklist::Task;
using tasklist::TaskKind;
using tasklist::ValueId;

constexpr std::uint32_t weight_of_copy = 3, weight_of_copy_size = 5;
constexpr std::uint32_t longest_sequence_of_one = 8; // longer ones are expanded before loops are unrolled

std::uint32_t weight_of_row(const configs::IsaRow* row) {
  if (row == nullptr)
    return 1;
  std::uint32_t length = 0;
  for (const configs::MachineOpSpec& op : row->machine)
    length += op.count;
  return length > longest_sequence_of_one ? length : std::min(length, 1u);
}

// Loops are unrolled before neighbouring accesses of shared and local memory become one, and those are
// written as vectors of untyped elements.
std::uint32_t accesses_in(const Task& task, std::string_view operation) {
  if (task.space != Space::shared && task.space != Space::local)
    return 1;
  for (const std::string_view elements : {".v2.b", ".v4.b"})
    if (operation.find(elements) != operation.npos)
      return static_cast<std::uint32_t>(elements[2] - '0');
  return 1;
}

} // namespace

LoopWeights::LoopWeights(const Selection& selection, std::uint32_t target)
    : selection_(selection), list_(selection.list), target_(target), operations_(list_.operations.size()) {
  weights_.reserve(selection.rows.size());
  for (const configs::IsaRow* row : selection.rows)
    weights_.push_back(weight_of_row(row));
}

LoopBody LoopWeights::of(const tasklist::Loop& loop) {
  LoopBody body;
  body.has_conditions = loop.blocks.size() > 1;
  for (const BlockId b : loop.blocks)
    body.can_be_copied &= !list_.blocks[b].no_unroll;
  const std::vector<ValueId> free = free_values(loop);
  for_each_task(list_, loop, [&](const Task& task) {
    const bool computes = task.kind == TaskKind::compute && !task.predicated && task.definitions.count == 1;
    add(task, computes && std::ranges::binary_search(free, list_.definitions(task).front()), body);
  });
  return body;
}

// Values of the loop's accesses' addresses, in ascending order; of loads from the constant bank, which takes
// an offset of 32 bits and the variable's place, also what that offset comes from.
std::vector<ValueId> LoopWeights::addresses_in(const tasklist::Loop& loop) const {
  std::vector<ValueId> addresses, in_bank;
  for_each_task(list_, loop, [&](const Task& task) {
    const ValueId address = address_register(selection_, task);
    if (address != tasklist::no_id)
      (reads_constant_bank(task) ? in_bank : addresses).push_back(address);
  });
  std::ranges::sort(in_bank);
  addresses.insert(addresses.end(), in_bank.begin(), in_bank.end());
  for_each_task(list_, loop, [&](const Task& task) {
    const bool is_in_bank = task.kind == TaskKind::compute && task.definitions.count == 1 &&
                            std::ranges::binary_search(in_bank, list_.definitions(task).front());
    if (is_in_bank && selection_.operation(task).starts_with("add."))
      std::ranges::copy(list_.uses(task), std::back_inserter(addresses));
  });
  std::ranges::sort(addresses);
  return addresses;
}

// Those of the addresses that the loop writes once, which weigh nothing; in ascending order.
std::vector<ValueId> LoopWeights::free_values(const tasklist::Loop& loop) const {
  std::vector<ValueId> written;
  for_each_task(list_, loop, [&](const Task& task) {
    std::ranges::copy(list_.definitions(task), std::back_inserter(written));
  });
  std::ranges::sort(written);
  std::vector<ValueId> values = addresses_in(loop);
  std::erase_if(values, [&](ValueId v) { return std::ranges::equal_range(written, v).size() != 1; });
  return values;
}

// Beside the place in shared memory.
bool LoopWeights::has_size_in_register(const Task& copy) const {
  return std::ranges::count_if(list_.uses(copy), [&](ValueId v) {
           return list_.value_classes[v] == tasklist::ValueClass::b32;
         }) > 1;
}

const LoopWeights::OperationWeight& LoopWeights::operation_of(const Task& task) {
  OperationWeight& known = operations_[task.operation];
  if (!known.is_known || known.kind != task.kind || known.space != task.space) {
    const std::string_view operation = selection_.operation(task);
    known = {.is_known = true,
             .kind = task.kind,
             .space = task.space,
             .allows_unrolling = tasklist::allows_unrolling(task, operation, target_),
             .needs_whole_warp = tasklist::needs_whole_warp(task, operation),
             .is_copy = tasklist::is_memory(task.kind) && operation.starts_with("cp.async."),
             .matrices = tasklist::weight_of_matrices(task, operation, target_).in_part,
             .accesses = accesses_in(task, operation)};
  }
  return known;
}

std::uint32_t LoopWeights::weight_of(const Task& task, const OperationWeight& operation) const {
  if (operation.is_copy)
    return weight_of_copy + (has_size_in_register(task) ? weight_of_copy_size : 0);
  if (operation.matrices != 0)
    return operation.matrices;
  const bool weighs_two =
      (tasklist::is_memory(task.kind) && task.space != Space::constant) || task.kind == TaskKind::barrier;
  return weighs_two ? 2 * operation.accesses : weights_[task.operation];
}

// At an address in a register; other loads from there are operands.
bool LoopWeights::reads_constant_bank(const Task& task) const {
  return task.kind == TaskKind::load && task.space == Space::constant &&
         address_register(selection_, task) != tasklist::no_id;
}

void LoopWeights::weigh(const Task& task, const OperationWeight& operation, bool is_free,
                        LoopBody& body) const {
  const std::uint32_t weight = weight_of(task, operation);
  if (!is_free)
    body.weight_of_unknown += reads_constant_bank(task) ? 2 : weight;
  body.weight += weight;
  if (task.predicated && task.kind != TaskKind::branch) { // a branch of its own
    ++body.weight;
    ++body.weight_of_unknown;
  }
}

void LoopWeights::add(const Task& task, bool is_free, LoopBody& body) {
  const OperationWeight& operation = operation_of(task);
  weigh(task, operation, is_free, body);
  body.can_be_copied &= operation.allows_unrolling;
  body.needs_whole_warp |= operation.needs_whole_warp;
  body.has_barrier |= task.kind == TaskKind::barrier;
  body.has_atomics |= task.kind == TaskKind::atomic || task.kind == TaskKind::reduction;
  body.has_conditions |= task.predicated && tasklist::is_memory(task.kind);
  if (tasklist::is_memory(task.kind) && task.space == Space::shared)
    body.shared_accesses += operation.accesses;
  if (task.kind != TaskKind::load || operation.is_copy)
    return;
  body.shared_loads += task.space == Space::shared ? operation.accesses : 0;
  const bool is_far =
      task.space == Space::global || task.space == Space::generic || task.space == Space::local;
  body.far_loads += is_far ? 1 : 0;
}

} // namespace kerncast::machine
