// A launch as the closed-form models see it: one profile for each path that its warps take.
//
// The SM with the most CTAs decides; its warps take the kernel's paths in the grid's proportion, one kind
// after the other. Left out: start, tail, and mixing of unlike warps.
#pragma once

#include <string>
#include <vector>

#include "analytical/models.h"
#include "engine/kernel.h"

namespace kerncast::app {

struct ProfiledPath {
  analytical::KernelProfile profile;
  double warps = 0; // on the SM with the most CTAs
};

struct LaunchProfile {
  std::vector<ProfiledPath> paths;
  double warps() const; // of all paths
};

LaunchProfile profile_launch(const engine::KernelInput& input, const engine::KernelPlan& plan);

struct ClosedFormCycles {
  double cycles = 0; // 0 at an unbounded rate
  std::string bound; // of the path that takes longest, as a prediction names it
};

// With so many warps on the SM at a time.
ClosedFormCycles cycles_of(const analytical::ClosedForm& model, const LaunchProfile& launch, double warps);

} // namespace kerncast::app
