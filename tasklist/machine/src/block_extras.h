// Machine operations of a block that no PTX operation stands for.
//
// - Entry: what a kernel begins with (the stack pointer; the descriptor of global memory).
// - Constants that an instruction cannot take as an operand: an encoding has room for one constant, data to
//   be stored and addresses lie in registers. ptxas loads such a constant outside of all loops, and again
//   rather than keeping it for long.
// - Convergence: since Volta a branch that lanes may take differently is preceded by an operation that names
//   the lanes to wait for, and they wait at the join (BSSY, BSYNC).
// - Matrices: where a lane's part of a matrix lies (wmma.load, wmma.store), which is computed once for those
//   that lie a constant apart, of one kind and stride, and read or written in one block.
// Each exists where the ISA table has its row: "entry", "entry.memory", "entry.matrix",
// "matrix.place.shared", "matrix.place.global", "constant.b32", "constant.b64",
// "constant.bank" (an architecture whose operands do not name the constant bank), "constant.uniform.b32" and
// "constant.uniform.b64" (constants that lie in uniform registers: operands of integers, addresses),
// "converge.begin", "converge.end".
#pragma once

#include <vector>

#include "recipes.h"
#include "selection.h"
#include "tasklist/control_flow.h"

namespace kerncast::machine {

// A constant in registers, loaded before a task.
struct HeldConstant {
  std::uint32_t constant = 0; // index into Tasklist::constants
  bool is_wide = false;       // 64 bits
  bool is_loaded = false;     // from the constant bank, which operands cannot name
  bool is_uniform = false;    // in uniform registers
  tasklist::TaskId before = 0;
};

struct BlockExtras {
  std::uint32_t convergences_begun = 0;
  std::uint32_t convergences_ended = 0;
};

struct Extras {
  std::vector<BlockExtras> blocks;
  std::vector<HeldConstant> constants;
  std::vector<tasklist::Range> reads;   // by task, in `read_pool`
  std::vector<std::uint32_t> read_pool; // indices into `constants`
  bool accesses_memory = false;         // global or generic
  bool accesses_shared = false;
  bool accesses_matrices = false;  // wmma.load, wmma.store
  std::vector<bool> places_matrix; // by task; empty if it does not access any
};

// `flow` is that of the selection's blocks, `divergent` what find_divergent_values() says.
Extras plan_extras(const Selection& selection, const RecipeBook& book, const tasklist::ControlFlow& flow,
                   const std::vector<bool>& divergent);

} // namespace kerncast::machine
