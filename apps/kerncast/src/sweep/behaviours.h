// What launches do as bytes, for other ranks of one program.
#pragma once

#include <string>
#include <string_view>

#include "tasklist/behaviour.h"

namespace kerncast::app {

std::string encode(const tasklist::LaunchBehaviour& behaviour);
// The bytes must come from `encode`.
tasklist::LaunchBehaviour decode_behaviour(std::string_view bytes);

} // namespace kerncast::app
