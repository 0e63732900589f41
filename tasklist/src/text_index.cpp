#include "tasklist/text_index.h"

#include <functional>

namespace kerncast::tasklist {

std::uint32_t TextIndex::find_or_add(std::string_view text, std::vector<std::string>& texts) {
  const auto fresh = static_cast<std::uint32_t>(texts.size());
  const std::uint32_t position = ids_.find_or_add(std::hash<std::string_view>{}(text), fresh,
                                                  [&](std::uint32_t other) { return texts[other] == text; });
  if (position == fresh)
    texts.emplace_back(text);
  return position;
}

} // namespace kerncast::tasklist
