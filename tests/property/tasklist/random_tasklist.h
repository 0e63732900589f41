// Random tasklists that are consistent: any control flow, any operations, any names.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "tasklist/builder.h"
#include "tasklist/operation.h"

namespace kerncast::tasklist {

inline std::uint32_t below(std::uint32_t limit) { return *rc::gen::inRange<std::uint32_t>(0, limit); }

inline Task random_task(Builder& builder) {
  static constexpr std::string_view operations[] = {
      "add.s32",  "ld.global.v2.f32",    "st.shared.u8",  "fma.rn.f64",
      "bar.sync", "atom.global.add.u32", "shfl.sync.b32", "unheard.of.op",
      "block",    "two words",           "quote\"back\\"};
  const auto text = operations[below(std::size(operations))];
  const OperationTraits traits = traits_of(text);
  Task task;
  task.operation = builder.operation(text);
  task.kind = traits.kind;
  task.space = traits.space;
  task.access_bytes = traits.access_bytes;
  if (below(4) == 0) { // differs from what the text says
    const auto kinds = static_cast<std::uint32_t>(TaskKind::warp_sync) + 1;
    task.kind = static_cast<TaskKind>(below(kinds));
    task.space = is_memory(task.kind) ? static_cast<Space>(1 + below(7)) : Space::none;
    task.access_bytes = static_cast<std::uint16_t>(below(65536));
  }
  task.predicated = below(2) == 1;
  task.call = below(4) == 0 ? below(static_cast<std::uint32_t>(builder.list.calls.size())) : no_id;
  task.line = below(1000);
  task.source_line = below(3);
  return task;
}

inline std::vector<ValueId> random_values(std::uint32_t value_count, std::uint32_t most) {
  std::vector<ValueId> values(below(most + 1));
  std::generate(values.begin(), values.end(), [&] { return below(value_count); });
  return values;
}

inline void add_transfer(Builder& builder, BlockId block, std::uint32_t block_count) {
  Task task;
  const bool exits = below(4) == 0;
  const auto targets = exits ? below(2) : below(4);
  for (std::uint32_t i = 0; i < targets; ++i) {
    builder.list.blocks[block].successors.push_back(below(block_count));
  }
  if (!exits && targets < 2 && (block_count == 1 || targets == 1)) {
    return; // falls through
  }
  task.kind = exits || targets == 0 ? TaskKind::exit : TaskKind::branch;
  task.operation = builder.operation(task.kind == TaskKind::exit ? "exit" : "bra");
  task.predicated = targets == 1;
  builder.add(task, {}, {});
}

inline Tasklist random_tasklist() {
  Builder builder;
  builder.list.kernel = *rc::gen::arbitrary<std::string>();
  builder.list.target = "sm_75";
  builder.list.source_name = *rc::gen::arbitrary<std::string>();
  builder.list.static_shared_bytes = below(3) * 512;
  builder.list.max_threads_per_cta = below(2) * 256;
  builder.list.is_debug = below(2) == 1;
  builder.list.calls = {"helper", *rc::gen::arbitrary<std::string>()};
  builder.list.parameters = {{"p", 8, 0, true, false}, {"second parameter", 4, 8, false, below(2) == 1}};
  const std::uint32_t value_count = 1 + below(6);
  for (std::uint32_t i = 0; i < value_count; ++i) {
    builder.list.value_classes.push_back(static_cast<ValueClass>(below(5)));
  }
  const std::uint32_t block_count = 1 + below(6);
  std::uint32_t instructions = 0;
  for (BlockId block = 0; block < block_count; ++block) {
    builder.list.blocks.emplace_back().label = below(2) == 1 ? *rc::gen::arbitrary<std::string>() : "";
    builder.list.blocks.back().line = below(5);
    builder.list.blocks.back().no_unroll = below(2) == 1;
    builder.list.blocks.back().first_instruction = instructions;
    const std::uint32_t tasks = below(5);
    for (std::uint32_t i = 0; i < tasks; ++i) {
      Task task = random_task(builder);
      task.instruction = below(2) == 1 ? instructions + i : no_id;
      builder.add(task, random_values(value_count, 2), random_values(value_count, 3));
    }
    builder.list.blocks.back().instruction_count = tasks;
    instructions += tasks;
    add_transfer(builder, block, block_count);
  }
  if (below(3) == 0) {
    for (std::size_t i = 0; i < builder.list.tasks.size(); ++i) {
      builder.list.stated_latency.push_back(below(4000) / 3.0);
    }
  }
  if (below(2) == 1) {
    builder.list.assumptions = {*rc::gen::arbitrary<std::string>()};
  }
  return std::move(builder).finish();
}

} // namespace kerncast::tasklist
