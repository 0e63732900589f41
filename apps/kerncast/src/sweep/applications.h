// The applications of a sweep, with all that no GPU changes: lowered kernels and what their launches do.
#pragma once

#include <vector>

#include "predict/input.h"
#include "sweep/fingerprint.h"
#include "sweep/sweep_file.h"
#include "tasklist/behaviour.h"

namespace kerncast::app {

struct SweepApplication {
  PredictInput input;
  std::vector<tasklist::LaunchBehaviour> behaviours; // of input.launches
  sweep::Fingerprint contents;                       // of all files that it consists of
  double warps = 0;                                  // launched in all: which applications take longest
};

// Every error of all of them. Their names differ.
Expected<std::vector<SweepApplication>> load_applications(const sweep::SweepFile& sweep, std::size_t threads);

// Reads the files only.
Expected<std::vector<PredictInput>> read_applications(const sweep::SweepFile& sweep, std::size_t threads);

} // namespace kerncast::app
