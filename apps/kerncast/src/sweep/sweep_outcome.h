// What a sweep that has run came to.
#pragma once

#include <cstdint>
#include <string>

#include "sweep/analysis.h"
#include "sweep/store.h"

namespace kerncast::app {

struct SweepOutcome {
  std::uint64_t rows = 0;     // that there should be; of a search, that it asked for
  std::uint64_t there = 0;    // before the run
  std::uint64_t computed = 0; // by it
  std::string stopped;        // why it ended early; empty: it did not
  // Of all rows, if it did not.
  sweep::Analysis analysis;
  sweep::FailedRows failed;
};

} // namespace kerncast::app
