// What the rows of a finished sweep say: objectives of every point, which points no other beats, and which
// key changes an objective most.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sweep/plan.h"
#include "sweep/sweep_file.h"
#include "sweep/times.h"

namespace kerncast::sweep {

struct PointResult {
  std::uint32_t index = 0;        // in Plan::points
  std::vector<double> objectives; // of the sweep file, or the total time if it states none
};

// Means of an objective over all points with the same value of a key; of many values, over four ranges of
// them that hold as many points each.
struct Sensitivity {
  std::string key;
  std::size_t objective = 0;
  double least = 0, most = 0;    // of the means
  std::string at_least, at_most; // the values, or ranges of values, that have them
  double swing = 0;              // (most - least) / the mean of all points
};

// Whether points keep their order when the uncertain keys have other values, the same ones for all points.
struct Stability {
  std::size_t objective = 0;
  std::size_t samples = 0;                      // with an order to compare with
  double least_spearman = 1, mean_spearman = 1; // rank correlations with the order as stated
  double least_kendall = 1, mean_kendall = 1;
  std::vector<std::pair<std::size_t, std::size_t>>
      best; // of points: in how many samples it is the best, most first
};

// How much faster an application is on each GPU than on the first one, at the fastest points of both.
struct SpeedUps {
  std::string app;
  std::vector<double> on_gpu; // of Plan::bases; 0: no prediction there
};

struct Analysis {
  std::vector<std::string> objectives; // names
  std::vector<bool> maximize;
  std::vector<PointResult> points; // as stated, that have a prediction of every application
  std::vector<std::size_t> front;  // of points: none is better in one objective and as good in all others
  std::vector<Sensitivity> sensitivities; // by objective, the largest swing first
  std::vector<Stability> stabilities;     // by objective, if keys are uncertain
  std::vector<SpeedUps> speed_ups;        // by application
};

// Fails if an objective is no number somewhere.
Expected<Analysis> analyse(const SweepFile& sweep, const Plan& plan, const Times& times);

} // namespace kerncast::sweep
