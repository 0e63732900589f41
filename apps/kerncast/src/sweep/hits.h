// Hit rates of an application's launches as bytes, for other ranks of one program.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hit_rates/device_caches.h"

namespace kerncast::app {

// By launch; nothing where none are predicted.
using Hits = std::vector<std::optional<hit_rates::LaunchHits>>;

// Without bounds, which sweeps do not ask for.
std::string encode(const Hits& hits);
// The bytes must come from `encode`.
Hits decode_hits(std::string_view bytes);

} // namespace kerncast::app
