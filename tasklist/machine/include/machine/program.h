// A kernel as one GPU runs it: machine operations in basic blocks, with units, latencies and registers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "configs/gpu.h"
#include "configs/isa.h"
#include "tasklist/tasklist.h"

namespace kerncast::machine {

enum class OpKind : std::uint8_t {
  compute,
  memory,  // load, store, atomic or reduction: latency from the memory model
  barrier, // waits for all warps of the CTA
  fence,   // waits for the warp's own outstanding memory operations
  exit,
};

// Scoreboard slots stand for registers, and one for branches: an operation may issue when its sources are
// ready, and its results are ready `latency` cycles after issue. Of operations that wait for the same (a
// row's `parallel` ones) only the first names its sources: a warp issues in order, so the others cannot come
// before it.
struct MachineOp {
  double latency = 0;                  // cycles; memory: added to what the memory model answers (usually 0)
  double issue_interval = 1;           // cycles the unit is held
  double operand_interval = 0;         // compute: cycles that it is held at least, while registers are read
  double longest_operand_interval = 0; // the same if nothing is kept that the operation before has read
  std::uint16_t unit = 0;              // index into Gpu::units
  OpKind kind = OpKind::compute;
  tasklist::TaskKind task_kind = tasklist::TaskKind::compute;
  tasklist::Space space = tasklist::Space::none;
  bool guards = false;      // computes a predicate under which others execute; takes Gpu::guard_latency
  bool is_one_lane = false; // memory: the first active lane does it for all
  bool is_spill = false;    // memory: of a value that has no register
  // Atomics in shared memory that are loops around a compare-and-swap: cycles of one trip; else 0.
  double trip_cycles = 0;
  double turns = 1;               // of atomics in L2, at their address: configs::IsaRow::turns
  std::uint16_t access_bytes = 0; // memory: per lane
  configs::CountedAs counted_as = configs::CountedAs::by_unit;
  std::uint32_t frame_offset = 0; // spills: bytes per thread in what spills take of local memory
  // Memory: Task::access, in a group of trips or of a joined block behind those before it; of spills, which
  // no task stands for, the numbers behind all of them.
  std::uint16_t access = UINT16_MAX;
  tasklist::Range sources;      // slots, in MachineProgram::slots
  tasklist::Range destinations; // slots, in MachineProgram::slots
  std::uint32_t task = 0;       // the task this operation came from
};

// Takes Gpu::branch_latency, if the GPU has one.
inline bool is_branch(const MachineOp& op) { return op.task_kind == tasklist::TaskKind::branch; }

// Cycles that the operation holds its unit.
inline double held_cycles(const MachineOp& op) { return std::max(op.issue_interval, op.operand_interval); }

struct MachineBlock {
  std::uint32_t first_op = 0;
  std::uint32_t op_count = 0;
};

// Trips of a loop that the code executes together (src/passes/unroll.cpp): `group` does what `trips` visits
// of `trip` in a row do, with the accesses of the first trip first. What is left over executes one by one.
struct TripGroup {
  tasklist::BlockId trip = 0;  // the loop's only block
  tasklist::BlockId group = 0; // behind those of the tasklist
  std::uint32_t trips = 0;
  std::uint32_t accesses = 0; // memory tasks of one trip
};

// A block whose operations the code executes with those of an earlier block, the head: what if-conversion
// made of a condition's body, or what always follows. The head's visits then have its accesses as well.
struct JoinedBlock {
  tasklist::BlockId block = 0;
  tasklist::BlockId head = 0;
  std::uint32_t accesses_before = 0; // of the head and of the blocks joined to it before
  std::uint32_t accesses = 0;        // memory tasks of the block
};

// Code beside the operations that are executed: slow paths and routines (positive), or what several uses of a
// routine execute but the code has once (negative).
struct UnexecutedCode {
  std::uint32_t task = 0;
  std::uint16_t unit = 0; // index into Gpu::units
  std::int32_t count = 0;
};

struct MachineProgram {
  std::vector<MachineOp> ops;
  std::vector<MachineBlock> blocks; // as Tasklist::blocks, then groups of trips
  std::vector<TripGroup> trip_groups;
  // By head, then by block; only of heads that execute others' accesses.
  std::vector<JoinedBlock> joined_blocks;
  std::vector<std::uint16_t> slots;
  std::uint32_t slot_count = 0;
  std::vector<UnexecutedCode> unexecuted;
  std::uint32_t spill_bytes = 0;         // of local memory per thread
  std::uint32_t registers_estimated = 0; // per thread, allocation granularity of the compiler not included
  std::vector<std::string> assumptions;

  // Instructions in the code, with slow paths.
  std::uint64_t static_instructions() const {
    std::int64_t count = static_cast<std::int64_t>(ops.size());
    for (const UnexecutedCode& code : unexecuted)
      count += code.count;
    return static_cast<std::uint64_t>(count);
  }
  // Those of the tasklist's blocks: each task's operations once.
  std::span<const MachineOp> ops_of_tasks() const {
    const std::size_t end = trip_groups.empty() ? ops.size() : blocks[trip_groups.front().group].first_op;
    return std::span(ops).first(end);
  }
  std::span<const std::uint16_t> sources(const MachineOp& op) const {
    return std::span(slots).subspan(op.sources.begin, op.sources.count);
  }
  std::span<const std::uint16_t> destinations(const MachineOp& op) const {
    return std::span(slots).subspan(op.destinations.begin, op.destinations.count);
  }
};

// Whether a memory operation gives the warp anything to wait for.
inline bool returns_data(const MachineOp& op) {
  return op.task_kind == tasklist::TaskKind::load || op.task_kind == tasklist::TaskKind::atomic ||
         op.trip_cycles > 0;
}

// Of the active lanes those that access memory.
inline std::uint32_t accessing_lanes(bool is_one_lane, std::uint32_t active) {
  return is_one_lane ? active & -active : active;
}

// By task of a list of so many: whether one lane accesses for all (MachineOp::is_one_lane).
inline std::vector<bool> one_lane_tasks(const MachineProgram& program, std::size_t tasks) {
  std::vector<bool> one_lane(tasks, false);
  for (const MachineOp& op : program.ops)
    if (op.is_one_lane)
      one_lane[op.task] = true;
  return one_lane;
}

} // namespace kerncast::machine
