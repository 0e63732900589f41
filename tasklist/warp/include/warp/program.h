// A decoded kernel: per basic block its operations, the accesses to record and the branch at its end. Made
// once per kernel, shared by all its launches, never changed.
//
// Slice execution decodes only what decides branches and addresses; functional execution decodes everything,
// memory operations and barriers included.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx_parser/module.h"
#include "tasklist/tasklist.h"
#include "warp/image_op.h"
#include "warp/matrix_op.h"
#include "warp/mbarrier_op.h"
#include "warp/memory_map.h"
#include "warp/memory_op.h"
#include "warp/micro_op.h"
#include "warp/stack_op.h"
#include "warp/system_call_op.h"
#include "warp/tensor_copy_op.h"
#include "warp/tensor_memory_op.h"
#include "warp/wgmma_op.h"

namespace kerncast::warp {

using tasklist::BlockId;
using tasklist::no_id;

enum class Special : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  dynamic_smem_size,
  total_smem_size, // static and dynamic
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  cluster_ctarank,
  cluster_nctarank,
  is_explicit_cluster, // a predicate
  envreg1,             // upper half of where a cooperative grid's workspace lies
  envreg2,             // lower half
};

// A slot that the machine fills before execution: an immediate, a kernel parameter or a special register.
struct ConstantSlot {
  enum class Kind : std::uint8_t { immediate, parameter, special };
  Kind kind = Kind::immediate;
  SlotId slot;
  std::uint64_t bits = 0;             // immediate
  std::uint32_t parameter_offset = 0; // parameter: bytes
  ptx::Type parameter_type{};         // parameter: what is loaded; extends to the slot by its sign
  Special special{};                  // special
};

// Bytes that an mbarrier is told to expect, in equal parts for the bulk copies that follow in the text.
struct AnnouncedShare {
  std::uint64_t bytes = 0; // 0: none
  std::uint32_t line = 0;  // of the announcement
};

// One memory task of a block.
struct AccessStep {
  std::uint16_t access = 0; // Task::access
  std::uint16_t bytes = 0;  // per lane
  tasklist::Space space = tasklist::Space::none;
  SlotId base;                        // Pool::none: no register
  bool address_known = true;          // false: an operand form without lane addresses (textures, tensors)
  std::uint64_t offset = 0;           // bytes, added to the base
  LaneMask address_lanes = all_lanes; // lanes that give an address (ldmatrix .x1: the first eight)
  bool may_miss_constants = false;    // a load of constants of which the module has many
  bool may_lie_outside = false;       // a hint, or a copy of perhaps no bytes
  // What addresses must be multiples of as the text has it, bytes; 1 where that is not looked at.
  std::uint16_t alignment = 1;
  std::uint32_t line = 0;
  tasklist::TaskId task = 0;
  std::uint32_t image = no_id; // of a texture or surface: index into images, which knows the addresses
  bool is_bulk = false;        // of a bulk copy, which moves more than lanes give: index into one of these,
  std::uint32_t bulk_copy = no_id, tensor_copy = no_id; // none for forms that are not followed
  AnnouncedShare announced;
};

struct Step {
  enum class Kind : std::uint8_t {
    compute,
    access,
    exit,
    memory,
    barrier,
    mbarrier,
    bulk_copy,
    tensor_copy,
    tensor_map,
    matrix,
    matrix_access,
    warpgroup,
    tensor_memory,
    tensor_move,
    tensor_multiply,
    image,
    system_call,
    stack,
    members, // in front of an operation over lanes
    stop
  };
  Kind kind = Kind::compute;
  bool guard_negated = false;
  SlotId guard;            // Pool::none: unconditional
  std::uint32_t index = 0; // in ops, accesses, memory_ops, ..., by kind
  std::uint32_t line = 0;  // of the PTX
};

// In front of an operation that lanes wait at for others of their warp: for those that the member mask of a
// vote, shuffle or the like names, or for all at barriers of the CTA and matrix operations.
struct MembersOp {
  enum class Kind : std::uint8_t { exchange, warp_barrier, barrier, matrix };
  Kind kind = Kind::exchange;
  SlotId mask; // none: all threads
  // exchange: the steps that compute its results follow; those with the same `value` and `immediate` may
  // meet.
  LaneFunction value = nullptr;
  std::uint32_t immediate = 0;
  SlotId source; // of which lanes see that of others
  std::uint32_t operations = 0;
};

struct Terminator {
  enum class Kind : std::uint8_t { next, branch, indirect, exit };
  Kind kind = Kind::next;
  bool guard_negated = false;
  SlotId guard;                  // branch: Pool::none for an unconditional one
  SlotId index;                  // indirect: target i for value first_index + i * index_step
  std::uint64_t first_index = 0; // of a call through a register the address of the first function
  std::uint32_t index_step = 1;
  bool calls = false;
  BlockId taken = no_id;         // branch
  BlockId next = no_id;          // next, and where a branch falls through
  std::vector<BlockId> targets;  // indirect, in the order of the target list; no_id: must not be reached
  BlockId reconvergence = no_id; // immediate post-dominator
  // A branch with one side inside and one outside of the innermost loop around it.
  std::uint32_t exits_loop = no_id; // index into Tasklist::loops
  bool taken_exits = false;
  bool tests_at_top = false;          // the loop's header is the block that tests
  bool loop_counts_elsewhere = false; // another exit of the loop does not depend on loaded data
  std::string label;                  // of the taken target
  std::uint32_t line = 0;
};

// Where a branch leads that some lanes take and `next` do not; empty if they part.
inline std::optional<BlockId> common_target(const Terminator& t, LaneMask taken, LaneMask next) {
  if (next == 0 || t.taken == t.next)
    return t.taken;
  return taken == 0 ? std::optional(t.next) : std::nullopt;
}

struct BlockProgram {
  std::uint32_t first_step = 0;
  std::uint32_t step_count = 0;
  std::uint16_t access_count = 0;
  std::uint32_t loop = no_id; // innermost loop
  bool is_header = false;     // of that loop
  Terminator terminator;
};

struct LoopProgram {
  BlockId header = 0;
  std::uint32_t parent = no_id;
  std::uint32_t depth = 0;
  std::vector<SlotId> written; // slots that the loop's blocks write
  std::string label;           // of the header
  std::uint32_t line = 0;
};

struct SlotCounts {
  std::uint32_t predicates = 0, words = 0, longs = 0;
};

struct Program {
  std::string kernel;
  std::uint32_t address_bits = 64;
  tasklist::Dim3 required_cluster{0, 0, 0}; // CTAs; 0: none
  bool blocks_are_clusters = false;
  // Scope::slice: some branch or address may depend on what is loaded, or on an operation that is not exact.
  // By block: whether lanes there may still come to an operation with a member mask that the slice has.
  std::vector<bool> leads_to_members;
  bool depends_on_data = false;
  // And not on shared, local and parameter memory alone, whose contents follow from the arguments.
  bool depends_on_buffers = false;
  // Scope::slice: accesses of textures or surfaces, and whether buffers decide where.
  bool has_texels = false;
  bool texels_depend_on_buffers = false;
  MemoryMap memory;
  std::vector<MicroOp> ops;
  std::vector<AccessStep> accesses;
  // Scope::slice, by access: the kernel's parameters, in order, from which its address is computed.
  std::vector<std::vector<std::uint32_t>> address_parameters;
  std::vector<MemoryOp> memory_ops;
  std::vector<BarrierOp> barriers;
  std::vector<MbarrierOp> mbarriers;
  std::vector<BulkCopy> bulk_copies;
  std::vector<TensorCopy> tensor_copies;
  std::vector<TensorMapChange> tensor_map_changes;
  std::vector<MatrixOp> matrix_ops;
  std::vector<MatrixAccess> matrix_accesses;
  std::vector<WarpgroupOp> warpgroup_ops;
  std::vector<TensorMemoryOp> tensor_memory_ops;
  std::vector<TensorMove> tensor_moves;
  std::vector<TensorMultiply> tensor_multiplies;
  std::vector<ImageOp> images;
  std::vector<SystemCall> system_calls;
  std::vector<StackOp> stack_ops;
  std::vector<MembersOp> members;
  std::vector<OpaqueVariable> opaque; // textures, samplers and surfaces of the module
  std::vector<std::string> stops;     // why execution ends there: trap, or what cannot be executed
  std::vector<Step> steps;
  std::vector<BlockProgram> blocks;
  std::vector<LoopProgram> loops;
  std::vector<ConstantSlot> constants;
  SlotCounts registers; // without the scratch slot
  SlotCounts slots;     // all, scratch and constants included

  // Whether a loop is `outer` or lies in it; no_id lies in none.
  bool is_within(std::uint32_t loop, std::uint32_t outer) const {
    while (loop != no_id && loops[loop].depth > loops[outer].depth)
      loop = loops[loop].parent;
    return loop == outer;
  }
};

} // namespace kerncast::warp
