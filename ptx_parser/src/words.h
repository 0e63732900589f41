// Splits the tables in syntax/ into lines and a line into its words.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace kerncast::ptx {

using Names = std::vector<std::string_view>;

// The parts between blanks.
inline Names words(std::string_view line) {
  Names out;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty())
      return out;
    out.push_back(line.substr(0, line.find(' ')));
    line.remove_prefix(out.back().size());
  }
}

// `a`, or the names in `[a b]`; removed from `head`.
inline Names take_alternatives(std::string_view& head) {
  const bool is_list = head.front() == '[';
  const std::size_t end = is_list ? head.find(']') + 1 : std::min(head.find_first_of(".&", 1), head.size());
  const Names names = is_list ? words(head.substr(1, end - 2)) : Names{head.substr(0, end)};
  head.remove_prefix(end);
  return names;
}

// Calls `take` with each line of a table that is neither empty nor a comment.
template <class Take> void for_each_row(std::string_view table, Take&& take) {
  while (!table.empty()) {
    const std::size_t end = std::min(table.find('\n'), table.size());
    if (const std::string_view line = table.substr(0, end); !line.empty() && line.front() != '#')
      take(line);
    table.remove_prefix(std::min(end + 1, table.size()));
  }
}

} // namespace kerncast::ptx
