// Predictions of launches as bytes, for other ranks of one program.
#pragma once

#include <string>
#include <string_view>

#include "engine/kernel.h"

namespace kerncast::app {

// Without explanation and interval, which sweeps do not ask for.
std::string encode(const engine::KernelPrediction& prediction);
// The bytes must come from `encode`.
engine::KernelPrediction decode_prediction(std::string_view bytes);

} // namespace kerncast::app
