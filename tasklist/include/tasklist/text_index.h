// Texts in a vector, each once, found by open addressing: one comparison and no allocation per look-up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kerncast::tasklist {

class TextIndex {
public:
  // Position of the text in `texts`, behind the others if it is new. Every call is given the same vector,
  // which nobody else changes.
  std::uint32_t find_or_add(std::string_view text, std::vector<std::string>& texts);

private:
  struct Entry {
    std::uint32_t hash = 0;
    std::uint32_t next_position = 0; // position + 1; 0: free
  };
  void grow();

  std::vector<Entry> entries_; // a power of two, at most half of them in use
  std::uint32_t used_ = 0;
};

} // namespace kerncast::tasklist
