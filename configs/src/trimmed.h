#pragma once

#include <algorithm>
#include <string_view>

namespace kerncast::configs {

// Without blanks and tabs at both ends.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(blanks)));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

} // namespace kerncast::configs
