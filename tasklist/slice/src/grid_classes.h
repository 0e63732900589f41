// Sorts the CTAs of a grid into classes of equal behaviour without executing them all.
//
// The grid's box is split until the CTAs executed in each part (corners, centre, a few inside) behave alike
// but for alignments, and their alignments to the 128-byte line are affine in the CTA's position. Then the
// part's alignments repeat with periods of at most 128 in each dimension, and one CTA per alignment stands
// for all with the same. Small grids (SliceOptions::full_execution_ctas) are executed CTA by CTA. Where the
// contents of buffers decide, CTAs evenly spread over the grid are executed.
#pragma once

#include "cta_sampler.h"
#include "slice/execute.h"
#include "warp_names.h"

namespace kerncast::slice {

struct GridClasses {
  std::vector<tasklist::CtaClass> classes; // with their counts, summing to the grid
  tasklist::GridOrder order;               // of the grid's CTAs; not known if too many alternate
};

// Names what was not executed in `assumptions`.
Expected<GridClasses> find_cta_classes(const LaunchContext& context, CtaSampler& sampler,
                                       const SliceOptions& options, Assumptions& assumptions);

} // namespace kerncast::slice
