// A GPU with three units and a handful of ISA rows, and tasklists written in a few words, for claims about
// the machine program.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "configs/gpu.h"
#include "configs/isa.h"
#include "machine/annotate.h"
#include "tasklist/operation.h"

namespace kerncast::machine::testing {

enum TinyUnit : std::uint32_t { alu, fpu, lsu };

inline configs::MachineOpSpec on(TinyUnit unit, double latency, bool parallel = false,
                                 std::uint32_t count = 1) {
  return {.unit = unit, .latency = latency, .issue_interval = 2, .count = count, .parallel = parallel};
}

inline configs::IsaRow row(std::vector<std::string> tokens, std::vector<configs::MachineOpSpec> machine) {
  configs::IsaRow r;
  r.tokens = std::move(tokens);
  r.machine = std::move(machine);
  r.place = "tiny.toml:7";
  return r;
}

inline std::vector<configs::IsaRow> tiny_rows() {
  return {
      row({"add", "s32"}, {on(alu, 6)}),
      row({"mul", "f32"}, {on(fpu, 6)}),
      row({"mul", "s32"}, {on(alu, 5), on(alu, 8)}),
      row({"and", "b64"}, {on(alu, 6), on(alu, 6, true)}),
      row({"div", "f32"}, {on(alu, 4), on(fpu, 9), on(alu, 3, true), on(fpu, 7, true, 2)}),
      row({"mov"}, {}),
      row({"setp"}, {on(alu, 6)}),
      row({"bra"}, {on(alu, 2)}),
      row({"bar"}, {on(alu, 1)}),
      row({"membar"}, {on(lsu, 30)}),
      row({"ret"}, {on(alu, 1)}),
      row({"ld"}, {on(lsu, 30)}),
      row({"ld", "shared", "s8"}, {on(alu, 6), on(lsu, 33)}),
      row({"st"}, {on(lsu, 30)}),
  };
}

inline configs::Gpu tiny_gpu(std::vector<configs::IsaRow> rows = tiny_rows()) {
  configs::Gpu gpu;
  gpu.name = "tiny";
  gpu.architecture = "tiny";
  gpu.units = {{.name = "alu", .latency = 6, .issue_interval = 1},
               {.name = "fpu", .latency = 6, .issue_interval = 1},
               {.name = "lsu", .latency = 30, .issue_interval = 4}};
  gpu.limits.registers_per_sm = 65536;
  gpu.limits.registers_per_thread = 255;
  gpu.limits.register_allocation_unit = 256;
  auto table = std::make_shared<configs::IsaTable>();
  table->architecture = "tiny";
  table->rows = std::move(rows);
  gpu.isa = table;
  return gpu;
}

// Builds tasklists: block(), then add() for every task. Values are numbered as they are used.
class ListWriter {
public:
  tasklist::Tasklist list;

  ListWriter() {
    list.kernel = "k";
    list.source_name = "k.ptx";
  }

  tasklist::BlockId block(std::vector<tasklist::BlockId> successors = {}) {
    tasklist::Block b;
    b.first_task = static_cast<std::uint32_t>(list.tasks.size());
    b.successors = std::move(successors);
    list.blocks.push_back(std::move(b));
    accesses_ = 0;
    return static_cast<tasklist::BlockId>(list.blocks.size() - 1);
  }

  tasklist::Task& add(const std::string& operation, const std::vector<tasklist::ValueId>& definitions,
                      const std::vector<tasklist::ValueId>& uses,
                      tasklist::TaskKind kind = tasklist::TaskKind::compute) {
    if (list.blocks.empty())
      block();
    tasklist::Task task;
    const auto known = std::ranges::find(list.operations, operation);
    task.operation = static_cast<std::uint32_t>(known - list.operations.begin());
    if (known == list.operations.end())
      list.operations.push_back(operation);
    task.kind = kind;
    task.definitions = append(definitions);
    task.uses = append(uses);
    task.line = static_cast<std::uint32_t>(list.tasks.size()) + 10;
    if (kind == tasklist::TaskKind::load || kind == tasklist::TaskKind::store)
      describe_access(task);
    list.tasks.push_back(task);
    ++list.blocks.back().task_count;
    return list.tasks.back();
  }

private:
  tasklist::Range append(const std::vector<tasklist::ValueId>& values) {
    const auto begin = static_cast<std::uint32_t>(list.values.size());
    for (const tasklist::ValueId v : values) {
      list.values.push_back(v);
      if (v >= list.value_classes.size())
        list.value_classes.resize(v + 1, tasklist::ValueClass::b32);
    }
    return {begin, static_cast<std::uint32_t>(values.size())};
  }

  void describe_access(tasklist::Task& task) {
    const bool is_shared = list.operations[task.operation].find("shared") != std::string::npos;
    task.space = is_shared ? tasklist::Space::shared : tasklist::Space::global;
    task.access_bytes = 4;
    task.access = accesses_++;
  }

  std::uint16_t accesses_ = 0;
};

// `count` values that are all needed by the stores at the end.
inline ListWriter values_needed_together(std::uint32_t count,
                                         tasklist::ValueClass value_class = tasklist::ValueClass::b32,
                                         const char* operation = "add.s32") {
  ListWriter w;
  for (tasklist::ValueId v = 0; v < count; ++v)
    w.add(operation, {v}, {});
  for (tasklist::ValueId v = 0; v < count; ++v)
    w.add("st.global.f32", {}, {v}, tasklist::TaskKind::store);
  w.list.value_classes.assign(count, value_class);
  return w;
}

// The operations that operation `index` waits for, when the program's operations run in their order once.
inline std::set<std::uint32_t> waits_for(const MachineProgram& program, std::uint32_t index) {
  std::map<std::uint16_t, std::uint32_t> last_writer;
  for (std::uint32_t i = 0; i < index; ++i)
    for (const std::uint16_t slot : program.destinations(program.ops[i]))
      last_writer[slot] = i;
  std::set<std::uint32_t> producers;
  for (const std::uint16_t slot : program.sources(program.ops[index]))
    if (last_writer.contains(slot))
      producers.insert(last_writer[slot]);
  return producers;
}

inline std::vector<std::uint32_t> tasks_of(const MachineProgram& program) {
  std::vector<std::uint32_t> tasks;
  for (const MachineOp& op : program.ops)
    tasks.push_back(op.task);
  return tasks;
}

// The tasks whose operations run on GPU, without the passes named.
inline std::vector<std::uint32_t> tasks_on(const configs::Gpu& gpu, const ListWriter& w,
                                           const std::vector<std::string_view>& without = {}) {
  AnnotateOptions options;
  for (const std::string_view name : without)
    EXPECT_TRUE(leave_out(options, name));
  const auto program = annotate(w.list, gpu, options);
  EXPECT_TRUE(program);
  return program ? tasks_of(*program) : std::vector<std::uint32_t>{};
}

// The tiny GPU with further rows, of one operation each: 3 cycles.
inline configs::Gpu gpu_with(const std::vector<std::string>& extras) {
  auto rows = tiny_rows();
  rows.push_back(row({"mov", "special"}, {on(lsu, 20)}));
  for (const std::string& name : extras) {
    std::vector<std::string> tokens;
    tasklist::for_each_part(name, [&](std::string_view part) { tokens.emplace_back(part); });
    rows.push_back(row(tokens, {on(alu, 3)}));
  }
  return tiny_gpu(rows);
}

// To the task of that number.
inline void give_constants(ListWriter& w, std::size_t task, const std::vector<std::string>& constants) {
  w.list.tasks[task].constants = {static_cast<std::uint32_t>(w.list.constant_pool.size()),
                                  static_cast<std::uint32_t>(constants.size())};
  for (const std::string& constant : constants) {
    const auto known = std::ranges::find(w.list.constants, constant);
    w.list.constant_pool.push_back(static_cast<std::uint32_t>(known - w.list.constants.begin()));
    if (known == w.list.constants.end())
      w.list.constants.push_back(constant);
  }
}

// A list that came from PTX: what only compiled code goes through applies.
inline ListWriter ptx_list() {
  ListWriter w;
  w.list.target = "sm_80";
  return w;
}

// Two values, %1 by `first`; setp of %1; @p bra over the body, which changes %2; the body; st.
inline ListWriter skipping(const std::string& body_operation, std::uint32_t body_length,
                           const std::string& first = "add.s32") {
  ListWriter w = ptx_list();
  w.block({2, 1});
  w.add(first, {1}, {});
  w.add("add.s32", {2}, {});
  w.add("setp.lt.s32", {0}, {1});
  w.list.value_classes[0] = tasklist::ValueClass::predicate;
  w.add("bra", {}, {0}, tasklist::TaskKind::branch).predicated = true;
  w.block({2});
  for (std::uint32_t i = 0; i < body_length; ++i)
    w.add(body_operation, {2}, {2, 1});
  w.block();
  w.add("st.global.u32", {}, {1, 2}, tasklist::TaskKind::store);
  w.add("ret", {}, {}, tasklist::TaskKind::exit);
  return w;
}

} // namespace kerncast::machine::testing
