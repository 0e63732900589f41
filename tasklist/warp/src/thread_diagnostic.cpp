#include "warp/thread_diagnostic.h"

#include <fmt/format.h>

#include "warp/lane_file.h"

namespace kerncast::warp {

Diagnostic thread_diagnostic(const std::string& kernel, const tasklist::Launch& launch,
                             const ThreadPlace& place, const std::string& what, const std::string& note,
                             const SourceText* source) {
  const tasklist::Dim3 grid = launch.grid, block = launch.block;
  const std::uint32_t thread = place.warp * lanes_per_warp + place.lane;
  const std::string message =
      fmt::format("kernel {}, CTA ({}, {}, {}), thread ({}, {}, {}): {}", kernel, place.cta % grid.x,
                  place.cta / grid.x % grid.y, place.cta / grid.x / grid.y, thread % block.x,
                  thread / block.x % block.y, thread / block.x / block.y, what);
  std::vector<std::string> notes;
  if (!note.empty())
    notes.push_back(note);
  if (source != nullptr && place.line != 0)
    return source->error({place.line, 1}, 1, message, notes);
  Diagnostic d;
  d.message = message;
  d.notes = notes;
  return d;
}

} // namespace kerncast::warp
