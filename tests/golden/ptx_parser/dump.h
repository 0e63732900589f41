// A readable dump of a syntax tree: a line per declaration, label and instruction.
#pragma once

#include <string>

#include "ptx_parser/module.h"

namespace kerncast::ptx {

std::string dump(const Module& module);

} // namespace kerncast::ptx
