// What the CTAs of a launch print, in the order of the grid, whichever of them are done first.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "print_format.h"

namespace kerncast::functional {

class PrintedTexts {
public:
  // Of one cluster that is done, of each at most once. Texts behind the first most_printed bytes are dropped.
  void add(std::uint64_t cluster, std::string text) {
    if (text.empty())
      return;
    bytes_ += text.size();
    texts_.emplace(cluster, std::move(text));
    while (bytes_ - texts_.rbegin()->second.size() > most_printed) {
      bytes_ -= texts_.rbegin()->second.size();
      texts_.erase(std::prev(texts_.end()));
      was_cut_ = true;
    }
  }

  // Of all clusters up to this one.
  std::string take(std::uint64_t last) const {
    std::string all;
    for (const auto& [cluster, text] : texts_)
      if (cluster <= last)
        all += text;
    if (all.size() > most_printed)
      all.resize(most_printed);
    return all;
  }
  bool was_cut() const { return was_cut_ || bytes_ > most_printed; }

private:
  std::map<std::uint64_t, std::string> texts_;
  std::uint64_t bytes_ = 0;
  bool was_cut_ = false;
};

} // namespace kerncast::functional
