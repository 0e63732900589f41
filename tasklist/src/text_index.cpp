#include "tasklist/text_index.h"

#include <functional>

namespace kerncast::tasklist {

std::uint32_t TextIndex::find_or_add(std::string_view text, std::vector<std::string>& texts) {
  if (2 * used_ >= entries_.size())
    grow();
  const auto hash = static_cast<std::uint32_t>(std::hash<std::string_view>{}(text));
  const std::size_t mask = entries_.size() - 1;
  std::size_t i = hash & mask;
  for (; entries_[i].next_position != 0; i = (i + 1) & mask) {
    const std::uint32_t position = entries_[i].next_position - 1;
    if (entries_[i].hash == hash && texts[position] == text)
      return position;
  }
  texts.emplace_back(text);
  ++used_;
  entries_[i] = {hash, static_cast<std::uint32_t>(texts.size())};
  return entries_[i].next_position - 1;
}

void TextIndex::grow() {
  constexpr std::size_t fewest = 64;
  const std::vector<Entry> old = std::move(entries_);
  entries_.assign(old.empty() ? fewest : 2 * old.size(), {});
  const std::size_t mask = entries_.size() - 1;
  for (const Entry& entry : old) {
    if (entry.next_position == 0)
      continue;
    std::size_t i = entry.hash & mask;
    while (entries_[i].next_position != 0)
      i = (i + 1) & mask;
    entries_[i] = entry;
  }
}

} // namespace kerncast::tasklist
