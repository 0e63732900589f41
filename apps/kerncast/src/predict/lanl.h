// Predicting a ppt_lanl file: the published tool's own input, on its own hardware settings or on a GPU.
#pragma once

#include "options.h"
#include "predict.h"

namespace kerncast::app {

Expected<PredictResult> predict_lanl(const SourceText& source, const PredictOptions& options,
                                     const std::vector<configs::Gpu>& gpus);

} // namespace kerncast::app
