// A result as bytes, with its key and a sum over all of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/sm_workload.h"
#include "engine/workload_key.h"

namespace kerncast::engine {

std::string encode(const WorkloadKey& key, const SmResult& result);
// Nothing, if the bytes are not a whole result of that key.
std::optional<SmResult> decode(const WorkloadKey& key, std::string_view bytes);

} // namespace kerncast::engine
