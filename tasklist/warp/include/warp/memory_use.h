// Which memory a kernel reads and writes, and what of it decides its branches and addresses: found in the
// text, for all of its launches.
//
// A parameter stands for the buffers that it points to: every address is taken to be made from the pointers
// among the parameters, of what the address is computed from, and from loaded pointers if there are any.
// Flow-insensitive, so it names too much rather than too little.
#pragma once

#include <span>
#include <vector>

#include "ptx_parser/module.h"
#include "tasklist/tasklist.h"

namespace kerncast::warp {

struct MemoryPlaces {
  std::vector<bool> parameters; // in order: what they point to
  bool variables = false;       // .global and .const ones
  bool texels = false;          // textures and surfaces
  bool loaded = false;          // what a loaded value may point to, if pointers lie in memory
  bool everything = false;      // nobody knows
};

struct MemoryUse {
  MemoryPlaces reads, writes;
  MemoryPlaces decides; // reads whose results branches and addresses depend on
  // Stored somewhere, so that loads may give them back: a pointer among them may be used by any address.
  MemoryPlaces stored;
  MemoryPlaces left; // of these, where other kernels may load them
};

// `list` must be the lowering of `kernel`, a function of `module` or its inlined form. `texels_are_known`:
// coordinates are addresses.
MemoryUse memory_use(const ptx::Module& module, const ptx::Function& kernel, const tasklist::Tasklist& list,
                     bool texels_are_known);

// By memory task: the parameters, in order, from which its address is computed.
std::vector<std::vector<std::uint32_t>> address_parameters(const ptx::Module& module,
                                                           const ptx::Function& kernel,
                                                           const tasklist::Tasklist& list,
                                                           std::span<const tasklist::TaskId> tasks);

} // namespace kerncast::warp
