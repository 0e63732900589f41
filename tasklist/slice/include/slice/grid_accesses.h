// The addresses of any CTA of a launch, by executing few of them.
//
// The grid is split into boxes whose CTAs do the same accesses at addresses that are affine in the CTA's
// position: checked at corners, centre, neighbours and some places between. Where no such box exists a CTA
// is executed when it is asked for.
#pragma once

#include <memory>

#include "slice/known_contents.h"
#include "slice/program.h"
#include "tasklist/cta_accesses.h"

namespace kerncast::slice {

struct TraceOptions {
  // Accesses of a warp at most; the rest of a longer warp is left out and its trace marked as truncated.
  std::uint64_t accesses_per_warp = 1U << 20;
  // CTAs executed to find boxes; beyond it CTAs are executed one by one.
  std::uint64_t max_explored_ctas = 1024;
  // As for SliceOptions. Where branches or addresses depend on loads every CTA that is asked for is executed.
  std::shared_ptr<const KnownContents> contents = nullptr;
  // A CTA's answer does not depend on which were asked for before: all boxes are found at once, and CTAs that
  // are executed alone have patterns of their own, which the source forgets.
  bool in_any_order = false;
};

// `program`, `launch` are copied as far as needed. Fails as execute does for what no GPU launches.
Expected<std::unique_ptr<tasklist::AccessSource>>
trace_grid(const SliceProgram& program, const tasklist::Launch& launch, const TraceOptions& options = {});

} // namespace kerncast::slice
