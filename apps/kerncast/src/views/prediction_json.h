// Predictions as kerncast-prediction/1 (docs/schemas/kerncast-prediction-1.schema.json).
#pragma once

#include <vector>

#include "json_text.h"
#include "predict/result.h"

namespace kerncast::app {

// One element per prediction.
Json prediction_json(const std::vector<Prediction>& predictions);

} // namespace kerncast::app
