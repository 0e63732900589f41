// Chrome's trace event format, which Perfetto opens: processes of tracks with slices.
//
//   {"name":"hotspot","ph":"X","pid":2,"tid":0,"ts":7,"dur":39,"args":{"alone_us":39}}
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kerncast::app {

// As JSON has it.
std::string quoted(const std::string& text);

// Beside the tracks of streams, which have the streams' numbers: two prologues of one stream may overlap.
inline std::uint32_t track_of_prologues(std::uint32_t stream, std::uint32_t branch) {
  constexpr std::uint32_t streams = 1U << 30;
  return branch * streams + stream;
}

class TraceEvents {
public:
  void name_process(std::uint32_t process, std::string_view name);
  void name_track(std::uint32_t process, std::uint32_t track, std::string_view name);
  // Names the track if it has no name yet. Times are microseconds; `arguments` are members of JSON.
  void add(std::uint32_t process, std::uint32_t track, std::string_view track_name, std::string_view name,
           double begin, double duration, std::string_view arguments);

  // The whole file; `about`: further members of its otherData.
  std::string text(std::string_view about) const;

private:
  void name(std::string_view kind, std::uint32_t process, std::uint32_t track, std::string_view name);

  std::vector<std::string> events_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> named_; // tracks
};

} // namespace kerncast::app
