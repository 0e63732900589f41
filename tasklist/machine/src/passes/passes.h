// What the compiler does to a kernel for one architecture before its instructions are counted. One file per
// pass; each can be left out (AnnotateOptions::without).
#pragma once

#include "configs/gpu.h"
#include "selection.h"
#include "tasklist/control_flow.h"

namespace kerncast::machine {

// Addresses of constant memory, and what is cut to 32 bits in the end, are computed in 32 bits.
void narrow_addresses(Selection& selection);

// Operations of 64 bits compute only halves of their results that are not known beforehand.
void split_pairs(Selection& selection);

// Both halves of a product of 32-bit numbers come from one operation.
void join_products(Selection& selection, const configs::IsaTable& isa);

// Accesses to shared memory multiply their address and add the variable's place.
void scale_addresses(Selection& selection, const configs::Gpu& gpu);

// Two dependent tasks become one where the architecture has an operation for both (a row of its ISA table).
void fuse_operations(Selection& selection, const configs::IsaTable& isa);

// Atomic operations whose result nobody reads become reductions.
void reduce_atomics(Selection& selection);

// Atomic operations of all lanes on one address are done by one lane.
void aggregate_atomics(Selection& selection, const configs::IsaTable& isa);

// Warp-wide operations on lanes that the code computes have more to do than those on constant ones.
void name_variable_masks(Selection& selection, const configs::IsaTable& isa);

// Two scalar operations of half precision become one on pairs.
void pack_halves(Selection& selection, const configs::IsaTable& isa);

// Loads and stores add a base that all lanes share to their address where the architecture has such accesses.
void take_uniform_bases(Selection& selection, const configs::IsaTable& isa);

// Elements of 8 and 16 bits are taken out of what vector loads bring, and put together for vector stores.
void pack_elements(Selection& selection, const configs::IsaTable& isa);

// Small loops get several copies of their body in the code.
void unroll(Selection& selection, const configs::Gpu& gpu, const tasklist::ControlFlow& flow);

// Short bodies that a branch skips become predicated instructions of the branch's block.
void if_convert(Selection& selection);

// Blocks that always follow each other become one straight line.
void join_blocks(Selection& selection);

// Asynchronous copies to shared memory keep a distance from other accesses to it.
void space_copies(Selection& selection, const configs::IsaTable& isa);

} // namespace kerncast::machine
