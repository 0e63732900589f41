// Are two syntax trees the same? Places and warnings do not count.
#pragma once

#include <string>

#include "ptx_parser/module.h"

namespace kerncast::ptx {

// Where two trees first differ, for example "function 'f': operand 3"; empty if they are the same.
std::string first_difference(const Module& a, const Module& b);

} // namespace kerncast::ptx
