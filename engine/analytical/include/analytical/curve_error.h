// How far a model's occupancy curve lies from a measured one (paper 003, section 6.3).
#pragma once

#include <span>

namespace kerncast::analytical {

// Throughputs of the model and of the machine at the same occupancies.
struct CurvePair {
  std::span<const double> warps; // occupancies
  std::span<const double> model;
  std::span<const double> real; // not 0
};

// MAPE = 100 / n x sum of |model - real| / real (printed without 1 / n).
double mape(const CurvePair& curves);

// MAPE_shape: the same of what remains of model - real when its best straight line over the occupancy (least
// squares) is taken away: a constant offset and a constant drift do not count.
double shape_mape(const CurvePair& curves);

} // namespace kerncast::analytical
