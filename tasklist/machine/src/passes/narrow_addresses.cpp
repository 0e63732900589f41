// Addresses of constant memory have 32 bits on every architecture (LDC R0, c[3][R2+0x10]), however PTX writes
// them. What only such addresses are made of is computed in 32 bits, and the place of a variable that is
// added to an offset becomes part of the access (seen in code of ptxas 13.0 for sm_75, sm_80 and sm_90). So
// is what is cut to its lower half in the end. Left out: selections and what else is not in the table below.
#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/passes.h"
#include "tasklist/operation.h"

namespace kerncast::machine {
namespace {

using tasklist::no_id;
using tasklist::Space;
using tasklist::Task;
using tasklist::TaskId;
using tasklist::TaskKind;
using tasklist::ValueClass;
using tasklist::ValueId;

// Of which the lower half of the result depends on the lower halves of the operands alone.
struct Narrowed {
  std::string_view wide;
  std::string_view narrow;
};
constexpr Narrowed narrowed[] = {
    {"add.s64", "add.s32"},         {"add.u64", "add.s32"},
    {"sub.s64", "sub.s32"},         {"sub.u64", "sub.s32"},
    {"mul.lo.s64", "mul.lo.s32"},   {"mul.lo.u64", "mul.lo.s32"},
    {"mad.lo.s64", "mad.lo.s32"},   {"mad.lo.u64", "mad.lo.s32"},
    {"shl.b64", "shl.b32"},         {"and.b64", "and.b32"},
    {"or.b64", "or.b32"},           {"xor.b64", "xor.b32"},
    {"not.b64", "not.b32"},         {"mov.u64", "mov.u32"},
    {"mov.b64", "mov.b32"},         {"mul.wide.s32", "mul.lo.s32"},
    {"mul.wide.u32", "mul.lo.s32"}, {"cvt.s64.s32", "mov.b32"},
    {"cvt.u64.u32", "mov.b32"},     {"mov.u64.special.clock64", "mov.u32.special.clock"},
};

constexpr std::string_view lower_halves[] = {"cvt.u32.u64", "cvt.u32.s64", "cvt.s32.u64", "cvt.s32.s64"};

// Tasks between a sum and the load of it that are looked at, so that cost grows with the kernel's size.
constexpr TaskId most_between = 64;

class AddressNarrower {
public:
  explicit AddressNarrower(Selection& selection) : selection_(selection), list_(selection.list) {
    for (const std::string& operation : list_.operations)
      takes_lower_half_.push_back(std::ranges::find(lower_halves, operation) != std::end(lower_halves));
  }

  void run() {
    const auto narrows = [this](const Task& task) {
      return (is_constant_load(task) && task.uses.count > 0) || takes_lower_half_[task.operation];
    };
    if (std::ranges::none_of(list_.tasks, narrows))
      return;
    find_narrow_forms();
    find_wide_values();
    for (TaskId id = 0; id < list_.tasks.size(); ++id)
      if (!selection_.absorbed[id] && (is_narrow(list_.tasks[id]) || copies_narrow(list_.tasks[id])))
        narrow(list_.tasks[id]);
    for (TaskId id = 0; id < list_.tasks.size(); ++id)
      if (is_constant_load(list_.tasks[id]))
        take_place(id);
  }

private:
  struct Usage {
    // Its upper half is read, or written by what has no form for the lower alone, or it has none.
    bool is_wide = false;
    std::uint32_t writers = 0, readers = 0;
    TaskId writer = no_id; // the last
  };

  static bool is_constant_load(const Task& task) {
    return task.kind == TaskKind::load && task.space == Space::constant;
  }

  bool copies_narrow(const Task& task) const {
    return takes_lower_half_[task.operation] && task.uses.count == 1 &&
           !usages_[list_.uses(task).front()].is_wide;
  }

  // One with a result of 64 bits that has a form for the lower half.
  bool has_narrow_form(const Task& task) const {
    return !narrow_[task.operation].empty() && task.definitions.count == 1;
  }

  bool is_narrow(const Task& task) const {
    return has_narrow_form(task) && !usages_[list_.definitions(task).front()].is_wide;
  }

  void find_narrow_forms() {
    for (const std::string& operation : list_.operations) {
      const auto* const found = std::ranges::find(narrowed, operation, &Narrowed::wide);
      narrow_.push_back(found == std::end(narrowed) ? std::string_view() : found->narrow);
    }
  }

  void find_wide_values() {
    usages_.resize(list_.value_classes.size());
    for (ValueId v = 0; v < usages_.size(); ++v)
      usages_[v].is_wide = list_.value_classes[v] != ValueClass::b64;
    previous_writer_.assign(list_.tasks.size(), no_id);
    for (TaskId id = 0; id < list_.tasks.size(); ++id)
      if (!selection_.absorbed[id])
        note(id);
    std::vector<ValueId> wide;
    for (ValueId v = 0; v < usages_.size(); ++v)
      if (usages_[v].is_wide)
        wide.push_back(v);
    while (!wide.empty()) {
      const ValueId v = wide.back();
      wide.pop_back();
      for (TaskId id = usages_[v].writer; id != no_id; id = previous_writer_[id])
        if (has_narrow_form(list_.tasks[id]))
          widen_operands(id, wide);
    }
  }

  void widen_operands(TaskId id, std::vector<ValueId>& wide) {
    for (const ValueId operand : list_.uses(list_.tasks[id]))
      if (!std::exchange(usages_[operand].is_wide, true))
        wide.push_back(operand);
  }

  void note(TaskId id) {
    const Task& task = list_.tasks[id];
    const bool takes_lower_halves =
        has_narrow_form(task) || is_constant_load(task) || takes_lower_half_[task.operation];
    for (const ValueId v : list_.uses(task)) {
      usages_[v].is_wide |= !takes_lower_halves;
      ++usages_[v].readers;
    }
    for (const ValueId v : list_.definitions(task)) {
      usages_[v].is_wide |= !has_narrow_form(task);
      ++usages_[v].writers;
      previous_writer_[id] = std::exchange(usages_[v].writer, id);
    }
  }

  void narrow(Task& task) {
    list_.value_classes[list_.definitions(task).front()] = ValueClass::b32;
    selection_.set_operation(task, takes_lower_half_[task.operation] ? "mov.b32" : narrow_[task.operation]);
  }

  // Of the sum of a value and a variable's name that this load alone reads.
  void take_place(TaskId id) {
    Task& load = list_.tasks[id];
    if (load.uses.count == 0)
      return;
    const Usage& address = usages_[list_.uses(load).front()];
    if (address.writers != 1 || address.readers != 1)
      return;
    const Task& sum = list_.tasks[address.writer];
    const std::string_view operation = selection_.operation(sum);
    if (operation != "add.s32" || sum.predicated || sum.uses.count != 1 || !selection_.adds_variable(sum) ||
        !stays(list_.uses(sum).front(), address.writer, id))
      return;
    std::vector<ValueId> values(list_.uses(load).begin(), list_.uses(load).end());
    values.front() = list_.uses(sum).front();
    selection_.set_uses(load, values);
    selection_.absorbed[address.writer] = true;
  }

  // Not written between the two tasks, which follow one another in one block.
  bool stays(ValueId value, TaskId first, TaskId last) const {
    const auto writes = [&](const Task& task) {
      return std::ranges::find(list_.definitions(task), value) != list_.definitions(task).end();
    };
    const auto next = std::ranges::upper_bound(list_.blocks, first, {}, &tasklist::Block::first_task);
    const bool is_one_block = next == list_.blocks.end() || next->first_task > last;
    return is_one_block && first < last && last - first <= most_between &&
           std::ranges::none_of(std::span(list_.tasks).subspan(first + 1, last - first - 1), writes);
  }

  Selection& selection_;
  tasklist::Tasklist& list_;
  std::vector<Usage> usages_;            // by value
  std::vector<TaskId> previous_writer_;  // by task: of the value that it defines (has_narrow_form: one)
  std::vector<std::string_view> narrow_; // by operation, as the next one
  std::vector<bool> takes_lower_half_;
};

} // namespace

void narrow_addresses(Selection& selection) { AddressNarrower(selection).run(); }

} // namespace kerncast::machine
