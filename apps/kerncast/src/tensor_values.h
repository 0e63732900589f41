// TYPE:EXTENTS:BOX{:OPTION} of --arg tensor:, a tensor without gaps in a buffer of its own, and the tensor
// map that moves boxes of it: f16:1024x512:64x128:128b. Extents and boxes name neighbours first. Options: the
// swizzle 32b, 64b or 128b; nan, which elements outside are instead of zeros.
#pragma once

#include <string>
#include <string_view>

#include "tasklist/tensor_map.h"

namespace kerncast::app {

// What is wrong with the text; empty: nothing.
std::string parse_tensor(std::string_view text, tasklist::TensorMap& into);

} // namespace kerncast::app
