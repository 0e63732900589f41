// Hit rates of an application's launches as bytes, for other ranks of one program.
#pragma once

#include <string>
#include <string_view>

#include "predict/hit_rates.h"

namespace kerncast::app {

// Without bounds, which sweeps do not ask for.
std::string encode(const Hits& hits);
// The bytes must come from `encode`.
Hits decode_hits(std::string_view bytes);

} // namespace kerncast::app
