// The tasklist as the PPT-GPU paper prints it (Table 1): one bracketed line per task.
//
//   [GLOB_MEM_ACCESS, LOAD]
//   [iALU, 6, 1]
//
// Words: iALU, fALU, dALU (64-bit float) and SFU (sin, cos, sqrt, ...) for computing; SPACE_MEM_ACCESS with
// LOAD or STORE for memory; THREAD_SYNC for CTA barriers. Numbers at the end are the lines depended on,
// from 1, ascending. The annotated form has the latency in cycles after the class of computing tasks.
// Where the paper has no word we use: ATOMIC and REDUCTION as third words, GENERIC for untyped addresses,
// FENCE, WARP_SYNC, BRANCH and EXIT; a last ret or exit is not printed.
// Blocks and values are not part of this form.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "support/diagnostics.h"
#include "tasklist/tasklist.h"

namespace kerncast::tasklist {

using LatencyOf = std::function<std::optional<double>(const Task&)>;

// Without `latency_of`: the plain form. With it, the annotated form.
std::string write_paper(const Tasklist& list, const LatencyOf& latency_of = {});

// Reads the annotated form: all tasks in one block, each defining one value, latencies in stated_latency
// (0 for tasks that state none). Empty lines and lines starting with # are skipped.
Expected<Tasklist> read_paper(const SourceText& source);

bool looks_like_paper(std::string_view text);

} // namespace kerncast::tasklist
