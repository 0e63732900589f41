#include "unexecuted.h"

#include <set>
#include <string>

namespace kerncast::machine {
namespace {

using configs::IsaRow;

class Collector {
public:
  explicit Collector(const configs::IsaTable& isa) : isa_(isa) {}

  void use(const IsaRow& row, std::uint32_t task) {
    add(row.rare, task, 1);
    add(row.called, task, -1);
    if (row.routine.empty() || !routines_.insert(row.routine).second)
      return;
    if (const IsaRow* routine = isa_.find("routine." + row.routine))
      add(routine->machine, task, 1);
  }

  std::vector<UnexecutedCode> code;

private:
  void add(const std::vector<configs::MachineOpSpec>& ops, std::uint32_t task, std::int32_t sign) {
    for (const configs::MachineOpSpec& op : ops)
      code.push_back({task, static_cast<std::uint16_t>(op.unit), sign * static_cast<std::int32_t>(op.count)});
  }

  const configs::IsaTable& isa_;
  std::set<std::string> routines_; // of the kernel
};

} // namespace

std::vector<UnexecutedCode> find_unexecuted(const Selection& selection, const configs::Gpu& gpu) {
  const tasklist::Tasklist& list = selection.list;
  if (!gpu.isa || list.target.empty())
    return {};
  std::vector<const IsaRow*> rows; // by operation
  for (const std::string& operation : list.operations)
    rows.push_back(gpu.isa->find(operation));
  Collector collector(*gpu.isa);
  for (std::uint32_t i = 0; i < list.tasks.size(); ++i)
    if (const IsaRow* row = rows[list.tasks[i].operation]; row != nullptr && !selection.absorbed[i])
      collector.use(*row, i);
  return std::move(collector.code);
}

} // namespace kerncast::machine
