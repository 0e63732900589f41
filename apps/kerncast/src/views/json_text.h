// JSON as text: two spaces a level, what fits on a line on one line, numbers in their shortest form that
// reads back as the same double.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace kerncast::app {

using Json = nlohmann::ordered_json;

// Ends in a newline. Throws std::logic_error on numbers that JSON has no text for.
std::string json_text(const Json& json);

// null for none.
inline Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

} // namespace kerncast::app
