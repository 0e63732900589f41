// A sweep that can be computed: its points, what all ranks know of its applications, and the file of its
// rows.
#pragma once

#include <vector>

#include "sweep/applications.h"
#include "sweep/plan.h"
#include "sweep/store.h"
#include "sweep/sweep_file.h"

namespace kerncast::app {

struct SweepJob {
  sweep::SweepFile file;
  sweep::Plan plan;
  std::vector<ApplicationFacts> apps;

  bool is_search() const { return file.sampling == sweep::Sampling::search; }
};

// What tells the file of its rows from those of other sweeps.
Expected<sweep::StoreContents> store_contents(const SweepJob& job);

} // namespace kerncast::app
