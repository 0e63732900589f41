// PTX text to syntax tree.
#pragma once

#include "ptx_parser/module.h"

namespace kerncast::ptx {

struct ParseOptions {
  std::size_t error_limit = 20; // 0: report all
};

// Parses and checks a module. On failure every error of the file up to the limit, each with its place.
// Anything not understood is an error, never dropped.
Expected<Module> parse(SourceText source, const ParseOptions& options = {});

} // namespace kerncast::ptx
