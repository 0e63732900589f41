// How many registers a list's kernel is estimated to take.
#pragma once

#include <gtest/gtest.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {

inline std::uint32_t registers_of(const ListWriter& w, const configs::Gpu& gpu = tiny_gpu(),
                                  const AnnotateOptions& options = {}) {
  const auto program = annotate(w.list, gpu, options);
  EXPECT_TRUE(program);
  return program ? program->registers_estimated : 0;
}

} // namespace kerncast::machine::testing
