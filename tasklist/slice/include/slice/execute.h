// Slice execution: which blocks the warps of a launch execute and which addresses they touch, from the PTX
// and the parameter values, without a GPU (model: 32 lanes at a time, reconvergence at immediate
// post-dominators, integer and address arithmetic exact, float work outside the slice never computed).
#pragma once

#include <cstdint>
#include <memory>

#include "ptx_parser/module.h"
#include "slice/known_contents.h"
#include "support/diagnostics.h"
#include "tasklist/behaviour.h"
#include "tasklist/launch.h"
#include "tasklist/tasklist.h"

namespace kerncast::slice {

struct SliceOptions {
  // CTAs executed while the grid is split into classes: beyond it no further part is looked at, its CTAs
  // are assigned by position and named in LaunchBehaviour::assumptions.
  std::uint32_t max_sampled_ctas = 4096;
  // Grids of up to so many CTAs are executed CTA by CTA.
  std::uint64_t full_execution_ctas = 64;
  // Block visits per warp at most; beyond it the launch is refused as runaway.
  std::uint64_t max_visits_per_warp = 50'000'000;
  // What loads from buffers give; null: nothing is known. Where branches or addresses depend on loads no CTA
  // is proved to be like another: some, evenly spread over the grid, are executed and stand for all.
  std::shared_ptr<const KnownContents> contents = nullptr;
  std::uint32_t max_ctas_on_contents = 256;
  // Once so many blocks were visited no further CTA is executed on contents.
  std::uint64_t max_visits_on_contents = 50'000'000;
};

// `list` must be the lowering of `kernel` in `module`.
Expected<tasklist::LaunchBehaviour> execute_slice(const ptx::Module& module, const ptx::Function& kernel,
                                                  const tasklist::Tasklist& list,
                                                  const tasklist::Launch& launch,
                                                  const SliceOptions& options = {});

// What branches and addresses may depend on that slice execution does not know.
enum class DataDependence : std::uint8_t {
  none,
  own_memory, // shared, local and parameter memory, whose contents follow from the arguments
  loads,      // loads from buffers alone, which slice execution follows where it is told the contents
  buffers,    // anything else
};
// `texels_are_known`: textures and surfaces are described, so that their coordinates are addresses, which
// only functional execution follows.
DataDependence data_dependence(const ptx::Module& module, const ptx::Function& kernel,
                               const tasklist::Tasklist& list, bool texels_are_known = false);

// Number and types of arguments against the kernel's parameters; empty arguments (all unknown) pass.
Expected<void> check_arguments(const tasklist::Tasklist& list, const tasklist::Launch& launch);
// Whether members of structures state all that the kernel loads of them.
Expected<void> check_structures(const ptx::Module& module, const ptx::Function& kernel,
                                const tasklist::Tasklist& list, const tasklist::Launch& launch);

} // namespace kerncast::slice
