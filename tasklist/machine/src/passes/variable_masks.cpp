// Operations of the whole warp that name their lanes by a register instead of a constant: since sm_80
// ptxas 13.0 makes those lanes meet first, unless the mask is that of the active lanes (found by compiling
// each operation with a constant mask, one from memory and one from activemask).
#include <algorithm>

#include "passes/passes.h"

namespace kerncast::machine {
namespace {

using tasklist::Task;
using tasklist::ValueId;

// An operation with a mask and how many operands it reads, the mask included. In one block lanes that have
// met once are known to be together: `again` where the architecture tells the two apart.
struct MaskedOperation {
  std::string_view beginning;
  std::string_view row;
  std::string_view again;
  std::uint32_t operands;
};
constexpr MaskedOperation masked_operations[] = {
    {"shfl.sync.", "masked.shfl", "masked.again.shfl", 4},
    {"vote.sync.", "masked.vote", "masked.again.vote", 2},
    {"match.any.sync.", "masked.match", "masked.again.match", 2},
    {"match.all.sync.", "masked.match", "masked.again.match", 2},
    {"redux.sync.", "masked.redux", "masked.again.redux", 2},
    {"bar.warp.sync", "masked.bar.warp", "masked.again.bar.warp", 1}};

const MaskedOperation* masked(std::string_view operation) {
  const auto* found = std::ranges::find_if(
      masked_operations, [&](const MaskedOperation& m) { return operation.starts_with(m.beginning); });
  return found == std::end(masked_operations) ? nullptr : found;
}

class MaskNamer {
public:
  MaskNamer(Selection& selection, const configs::IsaTable& isa)
      : selection_(selection), list_(selection.list), isa_(isa),
        is_active_(list_.value_classes.size(), false) {
    for (const std::string& operation : list_.operations)
      masked_.push_back(masked(operation));
    if (!has_masks())
      return;
    for (const Task& task : list_.tasks)
      if (selection.operation(task).starts_with("activemask"))
        for (const ValueId v : list_.definitions(task))
          is_active_[v] = true;
  }

  void run() {
    if (!has_masks())
      return;
    for (const tasklist::Block& block : list_.blocks) {
      bool have_met = false;
      for (std::uint32_t i = 0; i < block.task_count; ++i)
        have_met |= name(list_.tasks[block.first_task + i], have_met);
    }
  }

private:
  bool has_masks() const {
    return std::ranges::any_of(masked_, [](const MaskedOperation* m) { return m != nullptr; });
  }

  // Whether the task is one with a computed mask.
  bool name(Task& task, bool have_met) {
    const MaskedOperation* operation = masked_[task.operation];
    if (operation == nullptr || !has_computed_mask(task, *operation) || !isa_.has_row(operation->row))
      return false;
    const bool is_again = have_met && isa_.has_row(operation->again);
    selection_.set_operation(task, is_again ? operation->again : operation->row);
    return true;
  }

  // The mask is the last operand: all lanes, or another number where every operand but the data is one.
  bool has_computed_mask(const Task& task, const MaskedOperation& operation) const {
    const auto names_all_lanes = [&](std::uint32_t c) {
      return list_.constants[c] == "-1" || list_.constants[c] == "4294967295";
    };
    return task.uses.count != 0 && task.constants.count + 1 < operation.operands &&
           std::ranges::none_of(list_.constants_of(task), names_all_lanes) &&
           std::ranges::none_of(list_.uses(task), [&](ValueId v) { return is_active_[v]; });
  }

  Selection& selection_;
  tasklist::Tasklist& list_;
  const configs::IsaTable& isa_;
  std::vector<const MaskedOperation*> masked_; // by operation of the list as it was; null: none
  std::vector<bool> is_active_;                // by value
};

} // namespace

void name_variable_masks(Selection& selection, const configs::IsaTable& isa) {
  MaskNamer(selection, isa).run();
}

} // namespace kerncast::machine
