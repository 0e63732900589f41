// Texts in a vector, each once: one comparison and no allocation per look-up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tasklist/id_table.h"

namespace kerncast::tasklist {

class TextIndex {
public:
  // Position of the text in `texts`, behind the others if it is new. Every call is given the same vector,
  // which nobody else changes.
  std::uint32_t find_or_add(std::string_view text, std::vector<std::string>& texts);

private:
  IdTable ids_;
};

} // namespace kerncast::tasklist
