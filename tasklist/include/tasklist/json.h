// A tasklist as JSON: {"kernel": ..., "tasks": [{"id": 0, "operation": ..., ...}], "blocks": ..., ...}.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tasklist/tasklist.h"

namespace kerncast::tasklist {

nlohmann::ordered_json to_json(const Tasklist& list);

} // namespace kerncast::tasklist
