// The PTX of the microbenchmarks, part of the program (written by CMake from apps/microbench).
#pragma once

#include <span>
#include <string_view>

namespace kerncast::app {

struct PtxSource {
  std::string_view name; // "operations.ptx"
  std::string_view text;
};

std::span<const PtxSource> microbenchmark_sources();

} // namespace kerncast::app
