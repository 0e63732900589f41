// What the PPT-GPU tool of 2019 answers, in the terms of a prediction.
#pragma once

#include "engine/kernel.h"
#include "ppt_gpu_2019/model.h"

namespace kerncast::app {

// `cycles` are those of one wave, as the tool prints them; the time is that of all waves.
engine::KernelPrediction to_prediction(const ppt_gpu_2019::Input& input, const ppt_gpu_2019::Result& result);

} // namespace kerncast::app
