// Accesses to shared memory multiply the register of their address by 4, 8 or 16 and add the variable's place
// (LDS R0, [R2.X4+0x400]) on sm_75 to sm_89: a shift that only such addresses are made of is no operation of
// its own, and neither is the sum (seen in code of ptxas 13.0; atomic operations add, but do not multiply;
// from sm_90 on nothing is multiplied). Left out: factors that only the sum of two products has.
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "configs/compute_capability.h"
#include "passes/address_operand.h"
#include "passes/passes.h"

namespace kerncast::machine {
namespace {

using tasklist::no_id;
using tasklist::Space;
using tasklist::Task;
using tasklist::TaskId;
using tasklist::TaskKind;
using tasklist::ValueId;

constexpr std::uint32_t first_that_scales = 75, first_that_scales_no_more = 90;
constexpr std::array<std::string_view, 3> distances = {"2", "3", "4"};

class AddressScaler {
public:
  explicit AddressScaler(Selection& selection) : selection_(selection), list_(selection.list) {}

  void run() {
    if (std::ranges::none_of(list_.tasks, is_shared))
      return;
    count();
    const auto is_sum = [](std::string_view o) { return o == "add.s32" || o == "add.u32"; };
    const std::vector<bool> sums = operations_that(is_sum);
    for (TaskId id = 0; id < list_.tasks.size(); ++id)
      if (!selection_.absorbed[id] && sums[list_.tasks[id].operation] && adds_place(list_.tasks[id]))
        absorb(id, usages_[list_.definitions(list_.tasks[id]).front()].addresses);
    const std::vector<bool> shifts = operations_that([](std::string_view o) { return o == "shl.b32"; });
    for (TaskId id = 0; id < list_.tasks.size(); ++id)
      if (!selection_.absorbed[id] && shifts[list_.tasks[id].operation] && scales(list_.tasks[id]))
        absorb(id, usages_[list_.definitions(list_.tasks[id]).front()].scalable);
  }

private:
  struct Usage {
    std::uint32_t writers = 0, readers = 0;
    std::uint32_t addresses = 0;       // readers that take it as an address of shared memory
    std::uint32_t scalable = 0;        // those of them that multiply it
    std::uint32_t last_access = no_id; // in accesses_
  };
  struct Access {
    TaskId id = no_id;
    std::uint32_t before = no_id; // to the same address, in accesses_
  };

  static bool is_shared(const Task& task) {
    return tasklist::is_memory(task.kind) && task.space == Space::shared;
  }

  // Asynchronous copies read an address of global memory as well.
  bool takes_address(const Task& task) const {
    if (!is_shared(task))
      return false;
    const std::string_view operation = selection_.operation(task);
    const std::uint32_t data = task.kind == TaskKind::load ? 0 : elements_of(operation);
    return !operation.starts_with("cp.") && first_value_is_address(selection_, task, data);
  }

  bool multiplies(const Task& task) const {
    const std::string_view operation = selection_.operation(task);
    return operation.starts_with("ld.") || operation.starts_with("st.");
  }

  void count() {
    usages_.resize(list_.value_classes.size());
    for (TaskId id = 0; id < list_.tasks.size(); ++id) {
      if (selection_.absorbed[id])
        continue;
      const Task& task = list_.tasks[id];
      for (const ValueId v : list_.definitions(task))
        ++usages_[v].writers;
      for (const ValueId v : list_.uses(task))
        ++usages_[v].readers;
      if (takes_address(task))
        take(id, list_.uses(task).front());
    }
  }

  void take(TaskId access, ValueId address) {
    Usage& usage = usages_[address];
    ++usage.addresses;
    usage.scalable += multiplies(list_.tasks[access]) ? 1 : 0;
    accesses_.push_back({access, usage.last_access});
    usage.last_access = static_cast<std::uint32_t>(accesses_.size() - 1);
  }

  // By operation of the list.
  template <class Test> std::vector<bool> operations_that(const Test& test) const {
    std::vector<bool> result(list_.operations.size());
    std::transform(list_.operations.begin(), list_.operations.end(), result.begin(), test);
    return result;
  }

  bool adds_place(const Task& task) const { return is_of_one_value(task) && selection_.adds_variable(task); }

  bool scales(const Task& task) const {
    return is_of_one_value(task) &&
           std::ranges::find(distances, list_.constants[list_.constants_of(task).front()]) != distances.end();
  }

  // Neither is written again.
  bool is_of_one_value(const Task& task) const {
    return !task.predicated && task.uses.count == 1 && task.constants.count == 1 &&
           task.definitions.count == 1 && usages_[list_.uses(task).front()].writers == 1 &&
           usages_[list_.definitions(task).front()].writers == 1;
  }

  // If all readers are such accesses, they read what the task reads.
  void absorb(TaskId id, std::uint32_t such) {
    const ValueId result = list_.definitions(list_.tasks[id]).front(),
                  operand = list_.uses(list_.tasks[id]).front();
    if (such == 0 || such != usages_[result].readers)
      return;
    for (std::uint32_t i = usages_[result].last_access; i != no_id; i = accesses_[i].before) {
      const TaskId access = accesses_[i].id;
      std::vector<ValueId> values(list_.uses(list_.tasks[access]).begin(),
                                  list_.uses(list_.tasks[access]).end());
      values.front() = operand;
      selection_.set_uses(list_.tasks[access], values);
      take(access, operand);
    }
    usages_[operand].readers += such - 1;
    selection_.absorbed[id] = true;
  }

  Selection& selection_;
  tasklist::Tasklist& list_;
  std::vector<Usage> usages_; // by value
  std::vector<Access> accesses_;
};

} // namespace

void scale_addresses(Selection& selection, const configs::Gpu& gpu) {
  const std::uint32_t capability = configs::compute_capability(gpu);
  if (capability >= first_that_scales && capability < first_that_scales_no_more)
    AddressScaler(selection).run();
}

} // namespace kerncast::machine
