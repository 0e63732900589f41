// Texts one after the other in one, each with the number of its bytes before it, for other processes.
#pragma once

#include <string>
#include <string_view>

namespace kerncast {

void append_part(std::string_view part, std::string& bytes);

// The first part, which `bytes` then no longer begins with; they come from `append_part`.
std::string_view take_part(std::string_view& bytes);

} // namespace kerncast
