// Splits a line of a table in syntax/ into its words.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace kerncast::ptx {

// The parts between blanks.
inline std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> out;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty())
      return out;
    out.push_back(line.substr(0, line.find(' ')));
    line.remove_prefix(out.back().size());
  }
}

} // namespace kerncast::ptx
