// Classes of alignment in a box of CTAs that behave alike otherwise.
#pragma once

#include <optional>
#include <vector>

#include "cta_sampler.h"
#include "warp_names.h"

namespace kerncast::slice {

struct AlignmentClass {
  Position representative{};
  std::uint64_t ctas = 0;
};

struct AlignmentClasses {
  std::vector<AlignmentClass> classes;
  bool merged = false; // there were more than max_alignment_classes; neighbours share one
};

inline constexpr std::size_t max_alignment_classes = 128;

// Empty if the probed CTAs' alignments are not affine in the position: the box must be split.
Expected<std::optional<AlignmentClasses>>
find_alignment_classes(const Box& box, const std::vector<const CtaSample*>& probes, CtaSampler& sampler);

} // namespace kerncast::slice
