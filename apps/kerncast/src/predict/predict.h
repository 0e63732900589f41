// From checked options to predictions.
#pragma once

#include <optional>
#include <vector>

#include "application_timeline.h"
#include "command.h"
#include "options.h"
#include "result.h"
#include "sm_timeline.h"

namespace kerncast::app {

struct PredictResult {
  std::vector<Prediction> predictions; // one per GPU; empty on ranks other than 0
  std::optional<SmTimeline> timeline;
  std::optional<ApplicationTimeline> application; // if the timeline is that of the first prediction
  std::string notes;                              // lines for stderr
  std::optional<cluster::Status> ended;
};

Expected<PredictResult> predict(const PredictOptions& options, GpuOptions gpus, const Session& session);

// Every assumption of the predictions as an error (--strict).
Diagnostics assumptions_as_errors(const std::vector<Prediction>& predictions);

} // namespace kerncast::app
