// Syntax tree to PTX text: one statement a line, in the order of the tree.
//
// parse(print(tree)) is tree again, but for places. Comments, white space and what parsing folds are gone:
// constant expressions are their values, floating-point literals are bit-exact (0f, 0d), arrays have one
// dimension, `.reg .b32 a, b;` is two directives.
#pragma once

#include <string>

#include "ptx_parser/module.h"

namespace kerncast::ptx {

std::string print(const Module& module);

} // namespace kerncast::ptx
