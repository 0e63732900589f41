// On sm_75 a load or store adds a base that all lanes share, in uniform registers, to an offset in registers
// (LDG R0, [R2.64+UR4]). ptxas 13.0 leaves the 64-bit sum out where one load or store, or several loads of
// one block, have it as their address; where loads and stores or several blocks share it, only if other bases
// have the offset in common. Products (IMAD.WIDE) and sums of more than two stay, and atomic operations and
// reductions have no such address (found by compiling such accesses).
#include <string_view>
#include <vector>

#include "passes/address_operand.h"
#include "passes/passes.h"
#include "tasklist/operation.h"

namespace kerncast::machine {
namespace {

using tasklist::BlockId;
using tasklist::no_id;
using tasklist::Space;
using tasklist::Task;
using tasklist::TaskId;
using tasklist::TaskKind;
using tasklist::ValueId;

// Who writes and reads a value.
struct AddressUsage {
  std::uint32_t writers = 0, reads = 0;
  TaskId writer = no_id;               // the last
  std::uint32_t loads = 0, stores = 0; // that have it as their address
  std::uint32_t blocks = 0;            // in which they are
  BlockId block = no_id;               // the last of them
  std::uint32_t bases = 0;             // sums of it and a base that all lanes share
};

bool adds_addresses(std::string_view operation) { return operation == "add.s64" || operation == "add.u64"; }

class UniformBases {
public:
  explicit UniformBases(Selection& selection)
      : selection_(selection), list_(selection.list), values_(list_.value_classes.size()) {
    for (const std::string& operation : list_.operations) {
      adds_.push_back(adds_addresses(operation));
      elements_.push_back(elements_of(operation));
    }
    for (BlockId b = 0; b < list_.blocks.size(); ++b)
      for (std::uint32_t i = 0; i < list_.blocks[b].task_count; ++i)
        if (const TaskId id = list_.blocks[b].first_task + i; !selection.absorbed[id])
          note(b, id);
    for (const TaskId sum : sums_)
      ++values_[list_.uses(list_.tasks[sum]).front()].bases;
  }

  void run() {
    for (TaskId id = 0; id < list_.tasks.size(); ++id)
      if (!selection_.absorbed[id] && has_address(list_.tasks[id]))
        take_base(list_.tasks[id]);
    for (const TaskId sum : sums_)
      selection_.absorbed[sum] = becomes_part(sum);
  }

private:
  bool has_address(const Task& task) const {
    if ((task.kind != TaskKind::load && task.kind != TaskKind::store) ||
        (task.space != Space::global && task.space != Space::generic))
      return false;
    const std::uint32_t data = task.kind == TaskKind::store ? elements_[task.operation] : 0;
    return first_value_is_address(selection_, task, data);
  }

  void note(BlockId block, TaskId id) {
    const Task& task = list_.tasks[id];
    for (const ValueId v : list_.uses(task))
      ++values_[v].reads;
    for (const ValueId v : list_.definitions(task)) {
      ++values_[v].writers;
      values_[v].writer = id;
    }
    if (is_sum(task))
      sums_.push_back(id);
    if (!has_address(task))
      return;
    AddressUsage& address = values_[list_.uses(task).front()];
    ++(task.kind == TaskKind::load ? address.loads : address.stores);
    address.blocks += address.block != block;
    address.block = block;
  }

  // Of one value and a base out of the constant bank.
  bool is_sum(const Task& task) const {
    return adds_[task.operation] && !task.predicated && task.uses.count == 1 && task.constants.count == 1 &&
           list_.constants[list_.constants_of(task)[0]].starts_with("c[");
  }

  bool becomes_part(TaskId sum) const {
    const Task& task = list_.tasks[sum];
    const AddressUsage& address = values_[list_.definitions(task).front()];
    const AddressUsage& offset = values_[list_.uses(task).front()];
    if (address.writers != 1 || offset.writers != 1 || address.reads == 0 ||
        address.reads != address.loads + address.stores)
      return false;
    return offset.bases > 1 || address.reads == 1 || (address.stores == 0 && address.blocks == 1);
  }

  void take_base(Task& access) {
    const TaskId sum = values_[list_.uses(access).front()].writer;
    if (sum == no_id || !is_sum(list_.tasks[sum]) || !becomes_part(sum))
      return;
    std::vector<ValueId> uses(list_.uses(access).begin(), list_.uses(access).end());
    std::vector<std::uint32_t> constants(list_.constants_of(access).begin(),
                                         list_.constants_of(access).end());
    uses.front() = list_.uses(list_.tasks[sum]).front();
    constants.insert(constants.begin(), list_.constants_of(list_.tasks[sum])[0]);
    selection_.set_uses(access, uses);
    selection_.set_constants(access, constants);
  }

  Selection& selection_;
  tasklist::Tasklist& list_;
  std::vector<AddressUsage> values_;
  std::vector<std::uint32_t> elements_; // by operation
  std::vector<bool> adds_;              // by operation
  std::vector<TaskId> sums_;
};

} // namespace

void take_uniform_bases(Selection& selection, const configs::IsaTable& isa) {
  if (isa.has_row("constant.uniform.b64"))
    UniformBases(selection).run();
}

} // namespace kerncast::machine
