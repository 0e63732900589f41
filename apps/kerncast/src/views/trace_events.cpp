#include "trace_events.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "json_text.h"

namespace kerncast::app {

std::string quoted(const std::string& text) { return Json(text).dump(); }

void TraceEvents::name_process(std::uint32_t process, std::string_view name) {
  this->name("process_name", process, 0, name);
}

void TraceEvents::name_track(std::uint32_t process, std::uint32_t track, std::string_view name) {
  if (named_.emplace(process, track).second)
    this->name("thread_name", process, track, name);
}

void TraceEvents::add(std::uint32_t process, std::uint32_t track, std::string_view track_name,
                      std::string_view name, double begin, double duration, std::string_view arguments) {
  name_track(process, track, track_name);
  events_.push_back(fmt::format(R"({{"name":{},"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                                quoted(std::string(name)), process, track, begin, duration, arguments));
}

std::string TraceEvents::text(std::string_view about) const {
  return fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"format\":\"kerncast-timeline/1\",{}}},"
                     "\"traceEvents\":[\n{}\n]}}\n",
                     about, fmt::join(events_, ",\n"));
}

void TraceEvents::name(std::string_view kind, std::uint32_t process, std::uint32_t track,
                       std::string_view name) {
  events_.push_back(fmt::format(R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{"name":{}}}}})", kind,
                                process, track, quoted(std::string(name))));
}

} // namespace kerncast::app
