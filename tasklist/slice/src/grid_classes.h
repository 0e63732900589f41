// Sorts the CTAs of a grid into classes of equal behaviour without executing them all.
//
// The grid's box is split until the CTAs executed in each part (corners, centre, a few inside) behave alike
// but for alignments, and their alignments to the 128-byte line are affine in the CTA's position. Then the
// part's alignments repeat with periods of at most 128 in each dimension, and one CTA per alignment stands
// for all with the same. Up to small_grid CTAs are all executed.
#pragma once

#include "cta_sampler.h"

namespace kerncast::slice {

inline constexpr std::uint64_t small_grid = 64;

// Classes with their counts, summing to the grid. Names what was not executed in `assumptions`.
Expected<std::vector<tasklist::CtaClass>> find_cta_classes(const LaunchContext& context, CtaSampler& sampler,
                                                           std::uint32_t max_sampled_ctas,
                                                           Assumptions& assumptions);

} // namespace kerncast::slice
