// What kind of file an input is, told by its contents.
#pragma once

#include <cstdint>
#include <string_view>

#include "support/diagnostics.h"

namespace kerncast::app {

enum class InputKind : std::uint8_t {
  ptx,
  container, // with PTX in it: program, library, object, fat binary, cubin
  application,
  gpu,
  sweep,
  cluster,
  tasklist_text,
  tasklist_paper,
  ppt_lanl,
  unknown
};

InputKind kind_of(const SourceText& source);

// An error that says what the program could have read.
Diagnostic unknown_input(const SourceText& source);

} // namespace kerncast::app
