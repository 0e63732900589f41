// --arg tex:FORMAT:EXTENT{:OPTION}: a dense texture or surface with a buffer of its own.
#pragma once

#include <string>
#include <string_view>

#include "tasklist/image.h"

namespace kerncast::app {

// FORMAT is a channel's type and, if not 1, the number of channels: f32, u8x4. EXTENT is WIDTH, WIDTHxHEIGHT
// or WIDTHxHEIGHTxDEPTH in texels. OPTIONS, in any order: nearest or linear, clamp, border, wrap or mirror,
// normalized (coordinates), unit_range (integers are read as floats from 0 to 1) and layered (DEPTH counts
// layers). Returns what is wrong, nothing if all is right.
std::string parse_texture(std::string_view text, tasklist::Image& into);

} // namespace kerncast::app
