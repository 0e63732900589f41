// What an application does on one GPU in Chrome's trace event format, which Perfetto opens: a process of the
// host with its thread, one of streams with a track each, and one of copy engines with a track each. Times
// are microseconds.
#pragma once

#include <string>

#include "predict/application_timeline.h"

namespace kerncast::app {

std::string application_timeline_json(const ApplicationTimeline& timeline);
// What the trace leaves out; empty if nothing.
std::string application_timeline_note(const ApplicationTimeline& timeline);

} // namespace kerncast::app
