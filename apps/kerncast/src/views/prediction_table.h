// Predictions to read: the kernels by share of time, the totals, and what was assumed.
#pragma once

#include <string>
#include <vector>

#include "predict/result.h"

namespace kerncast::app {

// Four digits in a unit that a reader can grasp.
std::string time_text(double us);

std::string prediction_table(const std::vector<Prediction>& predictions);

} // namespace kerncast::app
