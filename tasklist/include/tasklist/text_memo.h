// What was read from texts, remembered: kernels are mostly made of the same operations, whose texts say the
// same in each of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "support/mix_bits.h"

namespace kerncast::tasklist {

// Of a bounded number of texts; of those that share a place the last one is remembered. For one thread.
template <class T> class TextMemo {
public:
  TextMemo() : entries_(places) {}

  // What read(text) says, which depends on the text alone. Valid until the next call.
  template <class Read> const T& of(std::string_view text, Read&& read) {
    Entry& entry = entries_[place_of(text)];
    if (!entry.is_known || entry.text != text)
      entry = {true, std::string(text), read(text)};
    return entry.value;
  }

private:
  static constexpr std::size_t places = 2048;
  // By length and both ends: operations that have them in common are few.
  static std::size_t place_of(std::string_view text) {
    std::uint64_t begin = 0, end = 0;
    const std::size_t bytes = std::min(text.size(), sizeof(begin));
    std::memcpy(&begin, text.data(), bytes);
    std::memcpy(&end, text.data() + text.size() - bytes, bytes);
    return mix_bits(begin ^ mix_bits(end ^ text.size())) % places;
  }
  struct Entry {
    bool is_known = false;
    std::string text;
    T value{};
  };

  std::vector<Entry> entries_;
};

} // namespace kerncast::tasklist
