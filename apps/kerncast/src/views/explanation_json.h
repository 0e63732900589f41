// The key `explanation` of kerncast-prediction/1.
#pragma once

#include "engine/explanation.h"
#include "json_text.h"

namespace kerncast::app {

Json explanation_json(const engine::Explanation& explanation);

} // namespace kerncast::app
