// What the ranks of an application do in Chrome's trace event format, which Perfetto opens: a process for
// each rank, with a track for each stream and one for its copies.
#pragma once

#include <string>

#include "predict/result.h"

namespace kerncast::app {

std::string ranks_timeline_json(const Prediction& prediction);
// What the trace leaves out; empty if nothing.
std::string ranks_timeline_note(const Prediction& prediction);

} // namespace kerncast::app
