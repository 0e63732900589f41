// The tasklist: what a kernel does, independent of any architecture.
//
// A task is one PTX instruction with the values it reads and writes and the indices of the tasks whose
// results it needs (PPT-GPU, Table 1). Tasks lie in basic blocks; loops stay loops, so the size follows the
// kernel's text, never its trip counts. Values are the kernel's virtual registers after clean-up; a value
// may be written by several tasks (loops, joins), so `dependencies` lists every task whose result may reach.
//
// Left out: addresses, trip counts and branch outcomes of a launch (LaunchBehaviour), costs (machine/).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kerncast::tasklist {

using ValueId = std::uint32_t;
using TaskId = std::uint32_t;
using BlockId = std::uint32_t;
inline constexpr std::uint32_t no_id = UINT32_MAX;

// Half-open range of elements in one of Tasklist's pools.
struct Range {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

enum class TaskKind : std::uint8_t {
  compute, // result from registers alone
  load,
  store,
  atomic,    // read-modify-write that returns the old value
  reduction, // read-modify-write that returns nothing
  barrier,   // CTA barrier: bar, barrier
  fence,     // membar, fence
  warp_sync, // bar.warp.sync, vote, shuffle, match: waits for the warp's lanes only
  branch,
  exit, // ret of an entry, exit, trap
};

enum class Space : std::uint8_t { none, global, shared, local, constant, param, texture, generic };

// How wide a value is; decides registers (a 64-bit value takes two) and how predicates are kept.
enum class ValueClass : std::uint8_t { predicate, b16, b32, b64, b128 };

struct Task {
  std::uint32_t operation = 0; // index into Tasklist::operations
  TaskKind kind = TaskKind::compute;
  Space space = Space::none;
  std::uint16_t access_bytes = 0;    // memory tasks: bytes per lane, vector included
  std::uint16_t access = UINT16_MAX; // memory tasks: number among the block's memory tasks, from 0
  // Memory tasks: what its address is made of, and bytes behind the lowest access to that. Accesses of one
  // base that execute in a row, without a branch back in between, are so many bytes apart; of different bases
  // nothing is known, nor where it is no_id.
  std::uint32_t base = no_id;
  std::uint32_t offset = 0;
  bool predicated = false;           // executes under a guard; the guard is among the uses
  std::uint32_t call = no_id;        // of an inlined call: index into Tasklist::calls
  Range definitions;                 // ValueIds written, in Tasklist::values
  Range uses;                        // ValueIds read (operands, addresses, guard), in Tasklist::values
  Range constants;                   // operands that are no values, in Tasklist::constant_pool
  Range dependencies;                // TaskIds, ascending, in Tasklist::dependency_pool
  std::uint32_t instruction = no_id; // index in the PTX function's instructions
  std::uint32_t line = 0;            // line of the PTX (or tasklist) text, 0 if unknown
  std::uint32_t source_line = 0;     // the user's line (.loc), 0 if unknown
  friend bool operator==(const Task&, const Task&) = default;
};

// A basic block: consecutive tasks that execute together.
struct Block {
  std::uint32_t first_task = 0;
  std::uint32_t task_count = 0;
  // The block's PTX instructions, cleaned-up ones included (what slice execution walks).
  std::uint32_t first_instruction = 0;
  std::uint32_t instruction_count = 0;
  std::vector<BlockId> successors; // taken targets first, fall-through last
  std::string label;               // "" if the text has none
  bool no_unroll = false;          // .pragma "nounroll"
  std::uint32_t line = 0;
  friend bool operator==(const Block&, const Block&) = default;
};

// A natural loop, found by dominators.
struct Loop {
  BlockId header = 0;
  std::uint32_t parent = no_id; // index into Tasklist::loops
  std::vector<BlockId> blocks;  // ascending, header and inner loops included
  friend bool operator==(const Loop&, const Loop&) = default;
};

struct Parameter {
  std::string name;
  std::uint32_t bytes = 0;
  std::uint32_t offset = 0; // in the constant bank, naturally aligned
  bool is_pointer = false;  // .ptr attribute, or used as an address
  bool is_float = false;    // declared .f32/.f64
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

struct Tasklist {
  std::string kernel;
  std::string target;      // "sm_75"; empty for hand-written lists
  std::string source_name; // file, for messages
  std::vector<Parameter> parameters;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t local_bytes_per_thread = 0; // stack (.local) per thread
  std::uint32_t max_threads_per_cta = 0;    // .maxntid or .reqntid product, 0 if not given
  std::uint32_t min_ctas_per_sm = 0;        // .minnctapersm
  std::uint32_t max_registers = 0;          // .maxnreg
  bool is_debug = false;                    // .target ..., debug: compiled without optimisation

  std::vector<std::string> operations;   // distinct PTX operations: "mad.lo.s32", "ld.global.v4.f32"
  std::vector<ValueClass> value_classes; // by ValueId
  std::vector<Task> tasks;
  std::vector<Block> blocks;      // blocks[0] is the entry
  std::vector<Loop> loops;        // outer loops before the loops they contain
  std::vector<std::string> calls; // function of each inlined call, in the order of the text
  std::vector<ValueId> values;
  std::vector<TaskId> dependency_pool;
  // Operands that the instruction word or the constant bank holds, each once: "4", "c[16]" (bytes into the
  // kernel's parameters), "c[ntid.x]" (launch constants), the name of a variable.
  std::vector<std::string> constants;
  std::vector<std::uint32_t> constant_pool; // indices into `constants`
  // Latency stated with each task; only hand-written annotated lists have it (else empty).
  std::vector<double> stated_latency;
  // What lowering had to guess or could not see, each with its line.
  std::vector<std::string> assumptions;

  std::span<const ValueId> definitions(const Task& t) const {
    return std::span(values).subspan(t.definitions.begin, t.definitions.count);
  }
  std::span<const ValueId> uses(const Task& t) const {
    return std::span(values).subspan(t.uses.begin, t.uses.count);
  }
  std::span<const std::uint32_t> constants_of(const Task& t) const {
    return std::span(constant_pool).subspan(t.constants.begin, t.constants.count);
  }
  std::span<const TaskId> dependencies(const Task& t) const {
    return std::span(dependency_pool).subspan(t.dependencies.begin, t.dependencies.count);
  }
  std::span<const Task> tasks_of(const Block& b) const {
    return std::span(tasks).subspan(b.first_task, b.task_count);
  }
  friend bool operator==(const Tasklist&, const Tasklist&) = default;
};

} // namespace kerncast::tasklist
