// The note of an error about an unknown word.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kerncast::ptx {

// "did you mean '.entry'?" for a word much like a known one, else `otherwise`.
std::vector<std::string> suggestion(std::string_view word, std::span<const std::string_view> words,
                                    std::string_view prefix, std::string otherwise);

} // namespace kerncast::ptx
