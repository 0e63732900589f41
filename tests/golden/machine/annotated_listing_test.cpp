// One real kernel annotated for one real GPU, line by line: tests/data/machine/dynproc_kernel.titan-x.txt.
// With KERNCAST_UPDATE_GOLDEN=1 in the environment the file is written again instead of compared.
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "configs/loader.h"
#include "machine/annotate.h"
#include "support/files.h"
#include "tasklist/text.h"

namespace kerncast::machine {
namespace {

const std::string data = KERNCAST_SOURCE_DIR "/tests/data/machine/";

std::string operation_line(const tasklist::Tasklist& list, const configs::Gpu& gpu,
                           const MachineProgram& program, const MachineOp& op) {
  const tasklist::Task& task = list.tasks[op.task];
  return fmt::format("  {:>3} {:<18} {:<4} latency {} interval {}{} s[{}] <- s[{}]\n", op.task,
                     list.operations[task.operation], gpu.units[op.unit].name, op.latency, op.issue_interval,
                     op.kind == OpKind::memory ? fmt::format(" access {}", op.access) : "",
                     fmt::join(program.destinations(op), " "), fmt::join(program.sources(op), " "));
}

std::string listing(const tasklist::Tasklist& list, const configs::Gpu& gpu, const MachineProgram& program) {
  std::string text = fmt::format("{} on {}: {} operations, {} slots, {} registers\n", list.kernel, gpu.name,
                                 program.ops.size(), program.slot_count, program.registers_estimated);
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    text += fmt::format("block {}\n", b);
    const MachineBlock& block = program.blocks[b];
    for (std::uint32_t i = 0; i < block.op_count; ++i)
      text += operation_line(list, gpu, program, program.ops[block.first_op + i]);
  }
  for (const std::string& assumption : program.assumptions)
    text += fmt::format("assumption: {}\n", assumption);
  return text;
}

TEST(AnnotatedListing, of_pathfinder_on_titan_x_is_the_recorded_one) {
  const auto source = read_source(data + "dynproc_kernel.tasklist");
  ASSERT_TRUE(source);
  const auto list = tasklist::read_text(*source);
  ASSERT_TRUE(list) << render(list.error());
  const auto gpu = configs::load_gpu("titan-x", {}, configs::ConfigPath({KERNCAST_SOURCE_DIR "/configs"}));
  ASSERT_TRUE(gpu) << render(gpu.error());
  const auto program = annotate(*list, *gpu);
  ASSERT_TRUE(program) << render(program.error());
  const std::string found = listing(*list, *gpu, *program);
  const std::string golden = data + "dynproc_kernel.titan-x.txt";
  if (std::getenv("KERNCAST_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(golden, found));
  }
  EXPECT_EQ(found, read_file(golden).value_or(""));
}

} // namespace
} // namespace kerncast::machine
