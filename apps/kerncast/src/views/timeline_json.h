// The execution profile of one SM in Chrome's trace event format, which Perfetto opens: one process of warps,
// with a track each, and one of units, with a track per pipeline. One microsecond of the trace is one cycle.
#pragma once

#include <string>

#include "predict/sm_timeline.h"

namespace kerncast::app {

std::string timeline_json(const SmTimeline& timeline);
// What the trace leaves out; empty if nothing.
std::string timeline_note(const SmTimeline& timeline);

} // namespace kerncast::app
