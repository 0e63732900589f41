// --arg TYPE:VALUE: the parameters of a kernel, in order.
#pragma once

#include <string>
#include <vector>

#include "support/diagnostics.h"
#include "tasklist/launch.h"

namespace kerncast::app {

// i32:4096, u64:7, f32:0.5, buf:67108864 (contents unknown), buf:4096=iota, buf:4096=@file.
// Every argument that is wrong is an error of its own.
Expected<std::vector<tasklist::Argument>> parse_arguments(const std::vector<std::string>& texts);

} // namespace kerncast::app
