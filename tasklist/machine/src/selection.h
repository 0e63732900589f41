// A tasklist on its way to machine operations: what the passes that combine tasks work on.
//
// A task that becomes part of another is `absorbed`: it costs nothing and its result is no value any more.
// Tasks keep their numbers, blocks their tasks, so whatever counts blocks and accesses stays true.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "configs/isa.h"
#include "machine/program.h"
#include "tasklist/operation.h"
#include "tasklist/tasklist.h"

namespace kerncast::machine {

// What a trip adds to a register that addresses are made of.
struct AddressStep {
  tasklist::ValueId value = 0;
  std::int64_t bytes = 0;
};

// Trips of a loop of one block that lie side by side in the code and are ordered together.
struct TripsTogether {
  tasklist::BlockId block = 0;
  std::uint32_t trips = 0;
  std::vector<tasklist::TaskId> once; // tasks that all trips have once: they count, or step addresses
  std::vector<AddressStep> steps;     // of these
};

struct Selection {
  tasklist::Tasklist list;    // a copy, with the operations and operands of the combined tasks
  std::vector<bool> absorbed; // by task
  // Tasks that execute at the end of another block than their own (if-conversion, joining), in the order of
  // tasks.
  std::vector<bool> moved;                             // by task
  std::vector<std::vector<tasklist::TaskId>> appended; // by block
  // The block with which a block's tasks execute, itself at first; also of blocks that have none left.
  std::vector<tasklist::BlockId> head; // by block

  // Predicated tasks whose results nobody reads where they did not execute (if-conversion): nothing of what
  // was there before is needed.
  std::vector<bool> writes_anew; // by task

  std::vector<bool> one_lane; // by task: of all lanes' accesses to one address one lane does what all want

  // How often the code has a task's machine operations, of which one copy executes (unrolled loops).
  std::vector<std::uint32_t> code_copies;    // by task
  std::vector<TripsTogether> trips_together; // each block once
  // Registers that trips side by side of other loops hold loaded values in, beside those of one trip
  // (unrolled loops).
  std::vector<std::uint16_t> loaded_ahead; // by task: at the loop's branch
  // Loops that decide at run time how many trips fit into the unrolled ones: their branches.
  std::vector<tasklist::TaskId> unrolled_at_run_time;

  std::shared_ptr<const configs::IsaTable> isa; // of the GPU, null if it has none
  // By operation of the list: what it becomes, null if the table lacks it, and what its text says.
  std::vector<const configs::IsaRow*> rows;
  std::vector<tasklist::OperationTraits> traits;

  std::string_view operation(const tasklist::Task& task) const { return list.operations[task.operation]; }
  const tasklist::OperationTraits& traits_of(const tasklist::Task& task) const {
    return traits[task.operation];
  }
  // A variable's name or a parameter is among the task's constants, and may stand for its address.
  bool names_address(const tasklist::Task& task) const;
  // A variable's name is the task's only constant.
  bool adds_variable(const tasklist::Task& task) const;
  void set_operation(tasklist::Task& task, std::string_view operation);
  void set_uses(tasklist::Task& task, std::span<const tasklist::ValueId> uses);
  void set_definitions(tasklist::Task& task, std::span<const tasklist::ValueId> definitions);
  void set_constants(tasklist::Task& task, std::span<const std::uint32_t> constants);
  // Of heads that execute others' accesses.
  std::vector<JoinedBlock> joined_blocks() const;
  // Groups of trips become blocks behind the others, entered and left as their loops.
  void add_group_blocks();
  void move_behind(tasklist::TaskId task, tasklist::BlockId block);
  // Of the list's operation without one.
  void look_up(std::string_view operation);
};

// How many elements an access by that name moves per lane.
std::uint32_t elements_of(std::string_view operation);

Selection start_selection(const tasklist::Tasklist& list, std::shared_ptr<const configs::IsaTable> isa);

} // namespace kerncast::machine
