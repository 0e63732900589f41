// Tasklist + GPU -> machine program.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "configs/gpu.h"
#include "machine/program.h"
#include "support/diagnostics.h"
#include "tasklist/tasklist.h"

namespace kerncast::machine {

struct AnnotateOptions {
  // Unit class to charge for operations without an ISA row; empty: such an operation is an error.
  std::optional<std::string> assume_unknown;
  // Order the operations of each block as a compiler would, loads early (src/schedule.h). Lists without a
  // PTX target are written in machine order and keep it.
  bool schedule = true;
  // What the compiler adds beside the PTX: entry code, constants in registers, convergence
  // (src/block_extras.h).
  bool extras = true;
  // Short bodies that a branch skips become predicated instructions (src/passes/if_convert.cpp).
  bool if_convert = true;
  // Blocks that always follow each other are ordered together (src/passes/join_blocks.cpp).
  bool join_blocks = true;
  // Asynchronous copies keep a distance from other accesses to shared memory (src/passes/space_copies.cpp).
  bool space_copies = true;
  // Small loops get several copies of their body in the code (src/passes/unroll.cpp).
  bool unroll = true;
  // Atomic operations whose old value nobody reads return none (src/passes/reduce_atomics.cpp).
  bool reduce_atomics = true;
  // One lane does what all lanes would do to one address (src/passes/aggregate_atomics.cpp).
  bool aggregate_atomics = true;
  // Warp-wide operations on computed lanes make them meet first (src/passes/variable_masks.cpp).
  bool variable_masks = true;
  // Moves whose registers can be one disappear (src/coalesce.h).
  bool coalesce = true;
  // Values that the kernel has no registers for lie in local memory (src/spills.h).
  bool spill = true;
  // Registers per thread that the compiler is known to have used; 0: not known. With fewer than the kernel
  // may use it had no reason to spill, however many the estimate finds.
  std::uint32_t stated_registers = 0;
  // What the compiler is known to spill: bytes of the stores in the code; else estimated.
  std::optional<std::uint32_t> stated_spill_bytes = {};
  // Divisions always take the slow path of their operands' special values, not never.
  bool slow_divisions = false;
  // Small elements of vectors are taken apart and put together (src/passes/pack_elements.cpp).
  bool pack_elements = true;
  // Addresses of constant memory are computed in 32 bits (src/passes/narrow_addresses.cpp).
  bool narrow_addresses = true;
  // Of 64-bit values only halves that are not known beforehand are computed (src/passes/split_pairs.cpp).
  bool split_pairs = true;
  // Both halves of a product are one operation (src/passes/join_products.cpp).
  bool join_products = true;
  // Accesses to shared memory multiply their address (src/passes/scale_addresses.cpp).
  bool scale_addresses = true;
  // Combine dependent operations for which the ISA table has one (src/passes/fuse_operations.cpp).
  bool fuse = true;
  // Two scalar operations of half precision become one on pairs (src/passes/pack_halves.cpp).
  bool pack_halves = true;
  // Accesses add a base that all lanes share to their address (src/passes/uniform_bases.cpp).
  bool uniform_bases = true;
};

// The steps that can be left out to see their effect, as --without names them.
std::vector<std::string_view> pass_names();
// False if there is no such step.
bool leave_out(AnnotateOptions& options, std::string_view name);

// Fails naming every operation the GPU's ISA table has no row for.
Expected<MachineProgram> annotate(const tasklist::Tasklist& list, const configs::Gpu& gpu,
                                  const AnnotateOptions& options = {});

// Some operation's row states a slow path.
bool has_slow_paths(const tasklist::Tasklist& list, const configs::Gpu& gpu);

// Summed latency of the machine operations that one PTX operation becomes, as the papers' annotated form
// prints it; nullopt for memory tasks, which have none there.
std::optional<double> summed_latency(const tasklist::Tasklist& list, const tasklist::Task& task,
                                     const configs::Gpu& gpu);

} // namespace kerncast::machine
