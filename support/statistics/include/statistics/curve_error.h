// How far a model's occupancy curve lies from a measured one (paper 003, section 6.3).
#pragma once

#include <span>

#include "support/diagnostics.h"

namespace kerncast::statistics {

// Throughputs of the model and of the machine at the same occupancies; equally many of all three.
struct CurvePair {
  std::span<const double> warps; // occupancies
  std::span<const double> model;
  std::span<const double> real; // positive
};

struct CurveErrors {
  // MAPE = 100 / n x sum of |model - real| / real (printed without 1 / n).
  double mape = 0;
  // MAPE_shape: the same of what remains of model - real when its best straight line over the occupancy
  // (least squares) is taken away: a constant offset and a constant drift do not count.
  double shape_mape = 0;
};

// Fails without points, at numbers that are not finite, and at measured throughputs that are not positive.
Expected<CurveErrors> curve_errors(const CurvePair& curves);

} // namespace kerncast::statistics
