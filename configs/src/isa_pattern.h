// PTX operations as an ISA table writes them: "mul.{lo,hi}.s32".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kerncast::configs {

// "mul.lo.s32" as {"mul", "lo", "s32"}.
std::vector<std::string_view> tokens_of(std::string_view operation);

// Every operation that the pattern stands for, in order; nullopt if a brace is not closed, a token is empty
// or there are more than 1024.
std::optional<std::vector<std::string>> expand_pattern(std::string_view pattern);

} // namespace kerncast::configs
