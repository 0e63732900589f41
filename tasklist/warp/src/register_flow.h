// Which registers decide branches and addresses (the slice), and which of them may hold loaded data.
//
// Flow-insensitive: a register is in the slice if any of its definitions could reach such a use. PTX
// registers are nearly single-assignment, so little is lost.
#pragma once

#include <vector>

#include "ptx_parser/module.h"
#include "register_use.h"
#include "tasklist/tasklist.h"
#include "warp/decode.h"

namespace kerncast::warp {

struct RegisterFlow {
  std::vector<std::uint32_t> definition_count; // by register
  std::vector<bool> in_slice;                  // by register
  bool slice_depends_on_loads = false;         // some branch, guard or address
  bool slice_depends_on_buffers = false;       // and not on shared, local or parameter memory alone
  bool has_texels = false;                     // accesses of textures or surfaces
  bool texels_depend_on_buffers = false;       // their coordinates
  std::vector<bool> depends_on_loads;          // by register: may hold data that slice execution cannot know
};

// A load from the kernel's parameters, whose value is known.
bool is_parameter_load(const ptx::Function& kernel, const ptx::Instruction& instruction);

// Memory that begins as zeros for each CTA or thread, so that a launch's parameters decide what it holds.
bool names_own_memory(const ptx::Function& kernel, const ptx::Instruction& instruction);

// Whether slice execution computes the results of an instruction; else they are unknown.
bool is_computed(const ptx::Function& kernel, const ptx::Instruction& instruction);

// With Scope::everything all registers are in the slice.
RegisterFlow analyse_registers(const ptx::Function& kernel, const tasklist::Tasklist& list, Scope scope);

// Registers from which branches, guards and addresses (`with_texels`: and coordinates) are computed, by
// whatever instructions.
std::vector<bool> deciding_registers(const ptx::Function& kernel, const tasklist::Tasklist& list,
                                     bool with_texels);

// cp.async.bulk and its like.
bool is_bulk_copy(const ptx::Function& kernel, const ptx::Instruction& instruction);
// clusterlaunchcontrol.query_cancel.
bool is_query_of_cancel(const ptx::Function& kernel, const ptx::Instruction& instruction);
// mbarrier.test_wait and try_wait: the slice has a phase over whenever a thread asks, as the simulation waits
// for it.
bool is_phase_test(const ptx::Function& kernel, const ptx::Instruction& instruction);

// Operand that addresses memory in the task's state space (cp.async has two); null if there is none. Of a
// tensor copy it addresses the map, its elements are the coordinates.
const ptx::Operand* address_operand(const ptx::Function& kernel, const ptx::Instruction& instruction,
                                    const tasklist::Task& task);

} // namespace kerncast::warp
