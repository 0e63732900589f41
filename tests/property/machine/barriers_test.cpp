// What is put in order stays on its side of the barriers if other warps may see it.
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "random_programs.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::TaskKind;

// The barriers and accesses of one block, in the program's order.
std::vector<MachineOp> ordered_ops(const MachineProgram& program) {
  std::vector<MachineOp> ops;
  for (const MachineOp& op : program.ops)
    if (op.kind == OpKind::memory || op.kind == OpKind::barrier)
      ops.push_back(op);
  return ops;
}

RC_GTEST_PROP(Barriers, have_the_same_accesses_on_either_side_as_in_the_text, ()) {
  RandomProgram random({.blocks = 1,
                        .tasks_per_block = *rc::gen::inRange<std::uint32_t>(20, 200),
                        .values = *rc::gen::inRange<std::uint32_t>(1, 20),
                        .seed = *rc::gen::arbitrary<std::uint64_t>()});
  tasklist::Tasklist list = random.write();
  list.target = "sm_75";
  const auto program = annotate(list, tiny_gpu());
  RC_ASSERT(program.has_value());
  const std::vector<MachineOp> ops = ordered_ops(*program);
  for (std::size_t i = 0; i < ops.size(); ++i)
    for (std::size_t k = i + 1; k < ops.size(); ++k)
      if (ops[i].kind == OpKind::barrier || ops[k].kind == OpKind::barrier)
        RC_ASSERT(ops[i].task < ops[k].task);
}

} // namespace
} // namespace kerncast::machine::testing
