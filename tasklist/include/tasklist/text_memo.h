// What was read from texts, remembered: kernels are mostly made of the same operations, whose texts say the
// same in each of them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kerncast::tasklist {

// Of a bounded number of texts; of those that share a place the last one is remembered. For one thread.
template <class T> class TextMemo {
public:
  TextMemo() : entries_(places) {}

  // What read(text) says, which depends on the text alone. Valid until the next call.
  template <class Read> const T& of(std::string_view text, Read&& read) {
    Entry& entry = entries_[std::hash<std::string_view>{}(text) % places];
    if (!entry.is_known || entry.text != text)
      entry = {true, std::string(text), read(text)};
    return entry.value;
  }

private:
  static constexpr std::size_t places = 2048;
  struct Entry {
    bool is_known = false;
    std::string text;
    T value{};
  };

  std::vector<Entry> entries_;
};

} // namespace kerncast::tasklist
