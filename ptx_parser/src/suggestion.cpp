#include "suggestion.h"

#include <fmt/format.h>

#include "support/suggest.h"

namespace kerncast::ptx {

std::vector<std::string> suggestion(std::string_view word, std::span<const std::string_view> words,
                                    std::string_view prefix, std::string otherwise) {
  if (const std::string near = nearest(word, words); !near.empty())
    return {fmt::format("did you mean '{}{}'?", prefix, near)};
  return {std::move(otherwise)};
}

} // namespace kerncast::ptx
