// What happened to one thread of a launch, said with its kernel, CTA and thread.
#pragma once

#include <string>

#include "support/diagnostics.h"
#include "tasklist/launch.h"

namespace kerncast::warp {

struct ThreadPlace {
  std::uint64_t cta = 0;  // number in the order x, y, z
  std::uint32_t warp = 0; // of the CTA
  std::uint32_t lane = 0;
  std::uint32_t line = 0; // of the PTX; 0: not known
};

// At its line, where `source` is there. No note if it is empty.
Diagnostic thread_diagnostic(const std::string& kernel, const tasklist::Launch& launch,
                             const ThreadPlace& place, const std::string& what, const std::string& note,
                             const SourceText* source);

} // namespace kerncast::warp
