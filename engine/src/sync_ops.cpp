#include "sync_ops.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include <fmt/format.h>

namespace kerncast::engine {
namespace {

using tasklist::AddressShape;
using tasklist::Task;

constexpr std::uint64_t numbered_barriers = 16; // of a CTA (PTX ISA, bar)
constexpr std::uint32_t unknown_bytes = UINT32_MAX;

// The first row whose words all occur in the operation.
struct AsyncRow {
  std::string_view opcode;
  std::string_view part;
  SmOpKind kind;
  AsyncKind async;
};
constexpr AsyncRow async_rows[] = {
    {"cp.async.bulk.commit_group", "", SmOpKind::commit, AsyncKind::bulk_copies},
    {"cp.async.bulk.wait_group", "", SmOpKind::wait_group, AsyncKind::bulk_copies},
    {"cp.async.commit_group", "", SmOpKind::commit, AsyncKind::copies},
    {"cp.async.wait_group", "", SmOpKind::wait_group, AsyncKind::copies},
    {"cp.async.wait_all", "", SmOpKind::wait_group, AsyncKind::copies},
    {"cp.async.mbarrier", "", SmOpKind::barrier, AsyncKind::none},
    {"cp.async.bulk", "mbarrier::complete_tx", SmOpKind::memory, AsyncKind::transactions},
    {"cp.async.bulk", "bulk_group", SmOpKind::memory, AsyncKind::bulk_copies},
    {"cp.reduce.async.bulk", "mbarrier::complete_tx", SmOpKind::memory, AsyncKind::transactions},
    {"clusterlaunchcontrol.try_cancel", "", SmOpKind::memory, AsyncKind::transactions},
    {"cp.reduce.async.bulk", "bulk_group", SmOpKind::memory, AsyncKind::bulk_copies},
    {"multimem.cp.async.bulk", "bulk_group", SmOpKind::memory, AsyncKind::bulk_copies},
    {"multimem.cp.reduce.async.bulk", "bulk_group", SmOpKind::memory, AsyncKind::bulk_copies},
    {"cp.async", "shared", SmOpKind::memory, AsyncKind::copies},
    {"wgmma.commit_group", "", SmOpKind::commit, AsyncKind::matrices},
    {"wgmma.wait_group", "", SmOpKind::wait_group, AsyncKind::matrices},
    {"wgmma.mma_async", "", SmOpKind::compute, AsyncKind::matrices},
    {"wgmma.fence", "", SmOpKind::compute, AsyncKind::none},
    {"griddepcontrol.launch_dependents", "", SmOpKind::launch_dependents, AsyncKind::none},
    {"griddepcontrol.wait", "", SmOpKind::wait_for_primary, AsyncKind::none},
};

const AsyncRow* find_row(std::string_view operation) {
  const auto fits = [&](const AsyncRow& row) {
    return operation.starts_with(row.opcode) && operation.find(row.part) != operation.npos;
  };
  const auto* const row = std::find_if(std::begin(async_rows), std::end(async_rows), fits);
  return row != std::end(async_rows) ? row : nullptr;
}

bool has(std::string_view operation, std::string_view part) { return operation.find(part) != operation.npos; }

std::uint32_t bounded(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, unknown_bytes));
}

// An mbarrier is known by its place in the 128 bytes around it: several of them lie side by side.
std::string mbarrier_name(const AddressShape& shape) {
  if (!shape.place_known || shape.mask == 0)
    return "mbarrier";
  return fmt::format("mbarrier {}", shape.offsets[static_cast<std::size_t>(std::countr_zero(shape.mask))]);
}

// Groups that a wait keeps, bytes that a copy delivers; false for rows that have neither.
bool take_constants(const AsyncRow& row, std::string_view operation,
                    const std::vector<std::uint64_t>& constants, SmOp& out) {
  if (row.kind == SmOpKind::wait_group && has(operation, "wait_all"))
    out.keep = all_groups;
  else if (row.kind == SmOpKind::wait_group && !constants.empty())
    out.keep = static_cast<std::uint16_t>(std::min<std::uint64_t>(constants.front(), most_groups_kept));
  else if (row.async == AsyncKind::transactions)
    out.delivered_bytes =
        constants.empty() || has(operation, ".tensor") ? unknown_bytes : bounded(constants.front());
  else
    return false;
  return true;
}

} // namespace

SyncOps::SyncOps(const KernelInput& input) : input_(input) { find_expected_arrivals(); }

const std::string& SyncOps::operation(const Task& task) const {
  return input_.list.operations[task.operation];
}

std::vector<std::uint64_t> SyncOps::integers(const Task& task) const {
  std::vector<std::uint64_t> values;
  for (const std::uint32_t constant : input_.list.constants_of(task)) {
    const std::string& text = input_.list.constants[constant];
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size())
      values.push_back(value);
  }
  return values;
}

// mbarrier.init [barrier], count.
void SyncOps::find_expected_arrivals() {
  for (const tasklist::BlockVisit& visit : input_.behaviour.visits) {
    if (visit.block >= input_.list.blocks.size()) // a group of trips, each of which is here, too
      continue;
    for (const Task& task : input_.list.tasks_of(input_.list.blocks[visit.block])) {
      if (!operation(task).starts_with("mbarrier.init") || task.access >= visit.accesses.count)
        continue;
      const std::uint32_t shape = input_.behaviour.access_pool[visit.accesses.begin + task.access];
      if (const std::vector<std::uint64_t> counts = integers(task); !counts.empty())
        expected_arrivals_[mbarrier_name(input_.behaviour.shapes[shape])] = counts.front();
      else
        assume(task, "the count of an mbarrier is not a constant; it takes every warp's arrival to be one");
    }
  }
}

void SyncOps::assume(const Task& task, const char* what) {
  assumptions_.insert(fmt::format("line {}: {}", task.line, what));
}

std::uint32_t SyncOps::number(const std::string& barrier) {
  return numbers_.emplace(barrier, static_cast<std::uint32_t>(numbers_.size())).first->second;
}

std::uint32_t SyncOps::add(const BarrierUse& use) {
  if (const auto known = std::find(uses_.begin(), uses_.end(), use); known != uses_.end())
    return static_cast<std::uint32_t>(known - uses_.begin());
  uses_.push_back(use);
  return static_cast<std::uint32_t>(uses_.size() - 1);
}

void SyncOps::resolve(std::uint32_t index, SmOp& out) {
  const std::vector<machine::MachineOp>& ops = input_.program.ops;
  const machine::MachineOp& op = ops[index];
  const Task& task = input_.list.tasks[op.task];
  if (out.kind == SmOpKind::barrier) {
    resolve_cta_barrier(task, out);
    return;
  }
  if (out.kind == SmOpKind::memory && operation(task).starts_with("mbarrier.")) {
    resolve_mbarrier(task, out);
    return;
  }
  const AsyncRow* const row = find_row(operation(task));
  const bool is_last = index + 1 == ops.size() || ops[index + 1].task != op.task;
  const bool is_main = out.kind != SmOpKind::compute || is_last;
  if (row == nullptr || !is_main || (row->kind == SmOpKind::memory) != (out.kind == SmOpKind::memory))
    return;
  out.kind = row->kind;
  out.async = row->async;
  if (!take_constants(*row, operation(task), integers(task), out) && row->kind == SmOpKind::barrier)
    resolve_arrival_of_copies(task, out);
}

// cp.async.mbarrier.arrive does not say where its mbarrier lies: the first of the kernel.
void SyncOps::resolve_arrival_of_copies(const Task& task, SmOp& out) {
  const bool counts_lanes = !expected_arrivals_.empty();
  BarrierUse use{.barrier = number(counts_lanes ? expected_arrivals_.begin()->first : "mbarrier"),
                 .arrivals = 0,
                 .waits = false,
                 .after_copies = true};
  if (counts_lanes)
    use.expected = bounded(expected_arrivals_.begin()->second);
  if (has(operation(task), ".noinc"))
    use.arrivals = counts_lanes ? tasklist::lanes_per_warp : 1;
  out.barrier = add(use);
}

// bar.sync a{, b}; bar.arrive a, b; barrier.cluster.arrive; barrier.cluster.wait. A count is a multiple of
// 32, so that a single constant says which of the two it is.
void SyncOps::resolve_cta_barrier(const Task& task, SmOp& out) {
  const std::string& name = operation(task);
  BarrierUse use;
  use.waits = !has(name, ".arrive");
  if (has(name, ".cluster")) {
    use.arrivals = use.waits ? 0 : 1;
    use.barrier = number("cluster");
    assumptions_.insert("clusters: the CTAs of a cluster are taken to reach its barriers together");
    out.barrier = add(use);
    return;
  }
  const std::vector<std::uint64_t> constants = integers(task);
  const bool is_default = constants.empty() && task.uses.count == 0; // lists that name no operands
  const bool named = is_default || (!constants.empty() && constants.front() < numbered_barriers);
  const bool counted = constants.size() > 1 || (constants.size() == 1 && !named);
  if (!named)
    assume(task, "the barrier is computed; it is taken for one that only this instruction uses");
  use.barrier = number(is_default ? "0"
                       : named    ? std::to_string(constants.front())
                                  : fmt::format("task {}", task.line));
  if (counted)
    use.expected = bounded((constants.back() + tasklist::lanes_per_warp - 1) / tasklist::lanes_per_warp);
  else if (!use.waits)
    assume(task, "the number of threads at the barrier is computed; it is taken to be all of the CTA");
  out.barrier = add(use);
}

// Which mbarrier it is, and how many lanes arrive, the step knows.
void SyncOps::resolve_mbarrier(const Task& task, SmOp& out) const {
  const std::string& name = operation(task);
  const bool uses_barrier = has(name, ".arrive") || has(name, ".expect_tx") || has(name, ".try_wait");
  if (!uses_barrier)
    return;
  out.kind = SmOpKind::barrier;
  out.barrier_by_step = true;
  if (out.latency == 0)
    out.latency = input_.gpu.shared.latency;
}

std::uint32_t SyncOps::use_of(const machine::MachineOp& op, const AddressShape& shape) {
  const Task& task = input_.list.tasks[op.task];
  const std::string& name = operation(task);
  const std::string barrier = mbarrier_name(shape);
  BarrierUse use;
  use.barrier = number(barrier);
  use.waits = has(name, ".try_wait");
  const auto expected = expected_arrivals_.find(barrier);
  if (expected != expected_arrivals_.end())
    use.expected = bounded(expected->second);
  const bool counts_lanes = use.expected != 0 && shape.known;
  use.arrivals = !has(name, ".arrive") ? 0
                 : counts_lanes        ? static_cast<std::uint32_t>(std::popcount(shape.mask))
                                       : 1;
  if (has(name, "expect_tx")) {
    const std::vector<std::uint64_t> constants = integers(task);
    use.announced_bytes = constants.empty() ? 1 : bounded(constants.front());
    if (constants.empty())
      assume(task, "the bytes that an mbarrier expects are computed; the first copy is taken to bring them");
  }
  return add(use);
}

} // namespace kerncast::engine
