// The result of a long run of alike chunks, from those of its beginnings.
#pragma once

#include <cstdint>
#include <span>

#include "engine/sm_workload.h"

namespace kerncast::engine {

// `samples`: with 1, 2, 4, 8 ... chunks, at least two, all with results per operation. What the last lacks
// are `chunks` chunks, which cost what those between the last two samples did, and where they are no multiple
// of these, what those between two before did.
SmResult continue_result(std::span<const SmResult> samples, std::uint64_t chunks);

} // namespace kerncast::engine
